/**
 * Limits of a request that announces or discards uploads, or edits the titles of episodes: number of items, and bytes
 * of the body. They fit a season with captions in every language.
 */
export const uploadBatchLimits = { files: 500, bytes: 256 * 1024 }

/** Bounds of the list in such a request. */
export const uploadBatchBounds = { minItems: 1, maxItems: uploadBatchLimits.files }
