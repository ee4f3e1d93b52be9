import {
  test as base,
  expect as plain,
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
} from '@playwright/test'
import { recordingExpect, watchLocators } from './locator-check.ts'
import { siteUrl } from './site-url.ts'
import { setCurrentSite, SiteServer, type OpenSite, type SiteSettings } from '#e2e/site/site-server.ts'

/** Playwright's message if a page registers a service worker while service workers are blocked. */
const blockedWorkerWarning = 'Service Worker registration blocked by Playwright'

/**
 * Chromium's message if a service worker takes control between the preload and the import of a script. The script is
 * then requested twice.
 */
const takeoverWarning = /cross-world service worker resource mismatch/

/**
 * Chromium's message if a page on a busy machine draws its text or image only seconds after the load event.
 * routes.spec.ts checks that pages use what they preload.
 */
const latePreloadWarning = /was preloaded using link preload but not used/

/** Chromium's message if the response to a request is missing or an error. */
const failedRequest = /^Failed to load resource/

/** A path without a page. */
export const missingPath = '/nowhere'

/** The site of test files that set no other. */
export const defaultSite: SiteSettings = { template: 'tower', withFakeServices: true, settings: {} }

interface Options {
  /** Expected console messages of the browser, such as those about a lost connection. */
  allowedConsoleMessages: RegExp | undefined
  /** Template and settings of the file's site. */
  site: SiteSettings
  /**
   * Stored answer to the consent banner; null for none. The default is an answer, because the banner would cover the
   * page.
   */
  consent: 'no' | null
  /** Playback speed. With `slow`, an episode lasts a minute, so that tests do not reach its end unintentionally. */
  playbackSpeed: 'slow' | 'real'
}

interface AutoFixtures {
  locatorCheck: void
  ownSite: void
  /** After `allowFailedRequests()`, the console may report failed requests. */
  silentConsole: { allowFailedRequests: () => void }
  pendingRoutes: void
  answeredConsent: void
  slowEpisodes: void
}

interface WorkerFixtures {
  /** The process that serves the sites of this worker. `openFor` identifies the file and settings of the open site. */
  siteServer: { server: SiteServer; open?: OpenSite; openFor?: string }
}

/**
 * Playwright's `test` with a site. Every test file has its own site, on a clone of a prepared database. After a
 * failure, the rest of the file gets a new site. Every test also checks that its windows write no warnings or errors to
 * the console. A test may end while a route handler still waits for a response.
 */
export const test = base.extend<Options & AutoFixtures, WorkerFixtures>({
  allowedConsoleMessages: [undefined, { option: true }],
  site: [defaultSite, { option: true }],
  baseURL: siteUrl,
  consent: ['no', { option: true }],
  playbackSpeed: ['slow', { option: true }],
  siteServer: [
    async ({ browserName: _any }, use) => {
      const server = new SiteServer()
      await use({ server })
      await server.end()
    },
    { scope: 'worker' },
  ],
  ownSite: [
    async ({ siteServer, site }, use, { file }) => {
      const wanted = JSON.stringify([file, site])
      const { server } = siteServer
      if (siteServer.openFor !== wanted || !siteServer.open) {
        siteServer.open = await server.open(site)
        siteServer.openFor = wanted
      }
      setCurrentSite({ ...siteServer.open, server, template: site.template })
      await use()
    },
    { auto: true, timeout: 300_000 },
  ],
  answeredConsent: [
    async ({ browser, consent }, use) => {
      // An init script is faster than `storageState` of the context, which opens a page.
      if (!consent) return use()
      await inEveryContext(browser, (context) => void context.addInitScript(storeConsent, consent), use)
    },
    { auto: true },
  ],
  slowEpisodes: [
    async ({ browser, playbackSpeed }, use) => {
      if (playbackSpeed === 'real') return use()
      await inEveryContext(browser, (context) => void context.addInitScript(playSlowly), use)
    },
    { auto: true },
  ],
  silentConsole: [
    async ({ browser, allowedConsoleMessages, serviceWorkers }, use) => {
      const messages: string[] = []
      let failedRequestsAllowed = false
      const recordMessage = (text: string) => {
        const isTakeover = serviceWorkers === 'allow' && takeoverWarning.test(text)
        const isAllowedFailure = failedRequestsAllowed && failedRequest.test(text)
        if (!isTakeover && !isAllowedFailure && !allowedConsoleMessages?.test(text)) messages.push(text)
      }
      const listen = (context: BrowserContext) => {
        context.on('console', (message) => isUnexpectedMessage(message) && recordMessage(message.text()))
        context.on('weberror', (thrown) => recordMessage(thrown.error().message))
      }
      const allowFailedRequests = () => (failedRequestsAllowed = true)
      await inEveryContext(browser, listen, () => use({ allowFailedRequests }))
      plain(messages, 'the console is silent').toEqual([])
    },
    { auto: true },
  ],
  pendingRoutes: [
    // Needs `context` only to end before the context closes.
    async ({ browser, context: _any, silentConsole }, use) => {
      await use()
      silentConsole.allowFailedRequests()
      const routed = browser.contexts().flatMap((context) => [context, ...context.pages()])
      // A page may close meanwhile, which ends its routes, too.
      await Promise.allSettled(routed.map((each) => each.unrouteAll({ behavior: 'ignoreErrors' })))
    },
    { auto: true },
  ],
  locatorCheck: [
    async ({ context }, use, info) => {
      const check = watchLocators(context, info)
      await use()
      check?.finish()
    },
    { auto: true },
  ],
})
export const expect = recordingExpect

/** Prepares each browser context that the test opens, before the context's first page. */
async function inEveryContext(
  browser: Browser,
  prepare: (context: BrowserContext) => void,
  use: () => Promise<void>,
): Promise<void> {
  browser.on('context', prepare)
  await use()
  browser.off('context', prepare)
}

/**
 * Runs in each page: stores the answer to the consent banner unless an answer is stored. Pages with an opaque origin
 * have no storage.
 */
function storeConsent(answer: string | null): void {
  if (answer && location.protocol.startsWith('http') && localStorage.getItem('consent') === null)
    localStorage.setItem('consent', answer)
}

/**
 * Runs in each page: slows playback down to a tenth once the episode has loaded or half of it has played. Not earlier,
 * because browsers buffer little at this speed.
 */
function playSlowly(): void {
  const slow = ({ target }: Event) => {
    if (!(target instanceof HTMLVideoElement)) return
    const { buffered, currentTime, duration } = target
    const bufferedUntil = buffered.length > 0 ? buffered.end(buffered.length - 1) : 0
    if (bufferedUntil >= duration - 0.5 || currentTime > duration / 2) target.playbackRate = 0.1
  }
  for (const type of ['playing', 'progress', 'timeupdate']) document.addEventListener(type, slow, true)
}

function isUnexpectedMessage(message: ConsoleMessage): boolean {
  const text = message.text()
  // The browser logs the HTTP 404 of the missing page.
  const missing = text.includes('status of 404') && message.location().url.endsWith(missingPath)
  const expected = missing || text === blockedWorkerWarning || latePreloadWarning.test(text)
  return ['error', 'warning'].includes(message.type()) && !expected
}
