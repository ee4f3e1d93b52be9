/** Maximum number of files and bytes of a request that announces, discards or names files: a season with captions in every language. */
export const planLimits = { files: 500, bytes: 256 * 1024 }

/** Bounds of the list in such a request. */
export const someOfPlan = { minItems: 1, maxItems: planLimits.files }
