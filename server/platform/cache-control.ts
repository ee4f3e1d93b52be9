/** For whatever is named by what it holds, and so never changes: browsers and caches keep it for good. */
export const forGood = 'public, max-age=31536000, immutable'
