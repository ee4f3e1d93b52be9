/**
 * Ports of the browser tests' sites. Each worker has a block of ports. Each run starts at another port
 * (playwright.config.ts), so that two runs on one machine do not conflict.
 */
const portsPerWorker = 10
const firstPort =
  Number(process.env['E2E_FIRST_PORT'] ?? 3900) +
  portsPerWorker * Number(process.env['TEST_PARALLEL_INDEX'] ?? 0)

export const sitePort = firstPort
export const siteUrl = `http://localhost:${sitePort}`
/** Port of the fake Stripe API. Browsers reach it through requests that the tests intercept. */
export const stripePort = firstPort + 1
/** Port of the proxy between browser and site in the service worker tests. */
export const proxyPort = firstPort + 2
