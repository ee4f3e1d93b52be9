/** How much one call announces, gives up or names: a season with captions in every language, in a body of so many bytes. */
export const planLimits = { files: 500, bytes: 256 * 1024 }

/** The list of such a call. */
export const someOfPlan = { minItems: 1, maxItems: planLimits.files }
