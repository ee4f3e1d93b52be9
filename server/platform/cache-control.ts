/** For files that are named by their content and so never change: browsers and caches keep them permanently. */
export const forGood = 'public, max-age=31536000, immutable'
