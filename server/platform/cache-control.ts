/** Cache-Control for files that are named by a hash of their content and so never change. */
export const immutableCacheControl = 'public, max-age=31536000, immutable'
