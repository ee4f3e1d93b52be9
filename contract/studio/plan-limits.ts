/** The limits of a call that announces, cancels or names uploads: a season with captions in every language. */
export const planLimits = { files: 500, bytes: 256 * 1024 }

/** The list in such a call. */
export const someOfPlan = { minItems: 1, maxItems: planLimits.files }
