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

/** Playwright's own message for `serviceWorkers: 'block'`. */
const blockedWorkerWarning = 'Service Worker registration blocked by Playwright'

/** Chromium's messages where a service worker takes control between the preload of a script and its import: it is fetched twice. */
const takeoverWarning =
  /cross-world service worker resource mismatch|was preloaded using link preload but not used/

/** The path of a missing page. */
export const missingPath = '/nowhere'

/** The default site of a test file. */
export const defaultSite: SiteSettings = { template: 'tower', withFakeServices: true, settings: {} }

interface Options {
  /** Expected console messages of the browser, such as for a lost connection. */
  forgiven: RegExp | undefined
  /** The template and settings of the file's site. */
  site: SiteSettings
  /** The stored answer to the consent banner; null if none. Answered by default, because the banner would cover the page. */
  consent: 'no' | null
  /** The playback speed: slow episodes last a minute, so that tests do not reach the end unintentionally. */
  pace: 'slow' | 'real'
}

interface AutoFixtures {
  locatorCheck: void
  ownSite: void
  silentConsole: void
  answeredConsent: void
  slowEpisodes: void
}

interface WorkerFixtures {
  /** Serves the sites of this worker; `openFor` identifies the settings of the open one. */
  siteServer: { server: SiteServer; open?: OpenSite; openFor?: string }
}

/**
 * Every test file has its own site on a clone of a prepared database, and after each failure the rest of its file gets a
 * new one. Every browser test also expects that the console stays silent in each window that it opens.
 */
export const test = base.extend<Options & AutoFixtures, WorkerFixtures>({
  forgiven: [undefined, { option: true }],
  site: [defaultSite, { option: true }],
  baseURL: siteUrl,
  consent: ['no', { option: true }],
  pace: ['slow', { option: true }],
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
      // Faster than a context's `storageState`, which opens a page.
      if (!consent) return use()
      await inEveryContext(browser, (context) => void context.addInitScript(storeConsent, consent), use)
    },
    { auto: true },
  ],
  slowEpisodes: [
    async ({ browser, pace }, use) => {
      if (pace === 'real') return use()
      await inEveryContext(browser, (context) => void context.addInitScript(playSlowly), use)
    },
    { auto: true },
  ],
  silentConsole: [
    async ({ browser, forgiven, serviceWorkers }, use) => {
      const noise: string[] = []
      const recordMessage = (text: string) => {
        const isTakeover = serviceWorkers === 'allow' && takeoverWarning.test(text)
        if (!isTakeover && !forgiven?.test(text)) noise.push(text)
      }
      const listen = (context: BrowserContext) => {
        context.on('console', (message) => isUnexpectedMessage(message) && recordMessage(message.text()))
        context.on('weberror', (thrown) => recordMessage(thrown.error().message))
      }
      await inEveryContext(browser, listen, use)
      plain(noise, 'the console is silent').toEqual([])
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

/** Prepares each context that the test opens, before its first page. */
async function inEveryContext(
  browser: Browser,
  prepare: (context: BrowserContext) => void,
  use: () => Promise<void>,
): Promise<void> {
  browser.on('context', prepare)
  await use()
  browser.off('context', prepare)
}

/** In each page: stores the consent unless there is one. Pages with an opaque origin have no storage. */
function storeConsent(answer: string | null): void {
  if (answer && location.protocol.startsWith('http') && localStorage.getItem('consent') === null)
    localStorage.setItem('consent', answer)
}

/** In each page: plays at a tenth of the normal speed once the episode has loaded, because at that speed browsers buffer little. */
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
  // A missing page returns HTTP 404, which the browser logs.
  const missing = text.includes('status of 404') && message.location().url.endsWith(missingPath)
  return ['error', 'warning'].includes(message.type()) && text !== blockedWorkerWarning && !missing
}
