/** Where the browser tests' site listens; a port that no developer's site is likely to have. */
export const sitePort = 3907
export const siteUrl = `http://localhost:${sitePort}`
/** Where Stripe's API is stood in for; browsers come to it by way of the tests. */
export const stripePort = sitePort + 1
/** The first of the ports for what stands before that site (front.ts). */
export const frontPorts = 3950
/** Where the site listens that has only the sandbox (sandbox-site.ts). */
export const sandboxSiteUrl = `http://localhost:${sitePort + 2}`

/** A browser in which the person has declined on that site: the question lies over no test but its own. */
export const declinedAt = (origin: string) => ({
  cookies: [],
  origins: [{ origin, localStorage: [{ name: 'consent', value: 'no' }] }],
})
