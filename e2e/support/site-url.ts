/**
 * The ports of the browser tests' sites. Each worker of the runner has a block of ports, and each run starts at
 * another one (playwright.config.ts), so that two runs on one machine do not conflict.
 */
const portsPerWorker = 10
const firstPort =
  Number(process.env['E2E_FIRST_PORT'] ?? 3900) +
  portsPerWorker * Number(process.env['TEST_PARALLEL_INDEX'] ?? 0)

export const sitePort = firstPort
export const siteUrl = `http://localhost:${sitePort}`
/** The port of Stripe's API stand-in; browsers reach it through the tests. */
export const stripePort = firstPort + 1
/** The port of the proxy between browser and site in the service worker tests. */
export const proxyPort = firstPort + 2
