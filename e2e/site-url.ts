/** Where the browser tests' site listens; a port that no developer's site is likely to have. */
export const sitePort = 3907
export const siteUrl = `http://localhost:${sitePort}`
/** Where Stripe's API is stood in for; browsers come to it by way of the tests. */
export const stripePort = sitePort + 1
/** The first of the ports for what stands before that site (front.ts). */
export const frontPorts = 3950
/** Where the sites listen that have only the sandbox (sandbox-site.ts): one for each of the runner's workers. */
export const sandboxSiteUrl = `http://localhost:${3930 + Number(process.env.TEST_PARALLEL_INDEX ?? 0)}`

/** A browser in which the person has declined on that site: the question lies over no test but its own. */
export const declinedAt = (origin: string) => ({
  cookies: [],
  origins: [{ origin, localStorage: [{ name: 'consent', value: 'no' }] }],
})
