/**
 * Where the sites of the browser tests listen. Each worker of the runner has a block of ports, and each run begins at
 * another (playwright.config.ts), so that two runs on one machine do not meet.
 */
const portsPerWorker = 10
const firstPort =
  Number(process.env['E2E_FIRST_PORT'] ?? 3900) +
  portsPerWorker * Number(process.env['TEST_PARALLEL_INDEX'] ?? 0)

export const sitePort = firstPort
export const siteUrl = `http://localhost:${sitePort}`
/** Stripe's API is stood in for here; browsers reach it through the tests. */
export const stripePort = firstPort + 1
/** What stands between browser and site in the tests of the service worker. */
export const frontPort = firstPort + 2
