import {
  test as base,
  expect as plain,
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
} from '@playwright/test'
import { recordingExpect, watchLocators } from './locator-check.ts'
import { siteUrl } from './site-url.ts'
import { setCurrentSite, SiteServer, type OpenSite, type SiteSettings } from '#e2e/site/own-site.ts'

/** Playwright's own word on `serviceWorkers: 'block'`. */
const blockedWorker = 'Service Worker registration blocked by Playwright'

/** Where the tests look for a page that is not there. */
export const missingPath = '/nowhere'

/** What a file's site is, unless the file asks for another. */
export const usualSite: SiteSettings = { template: 'tower', standIns: true, settings: {} }

interface Options {
  /** What the browser itself writes about something that a test brings about, such as a connection that is gone. */
  forgiven: RegExp | undefined
  /** What the file's site begins with and is set up with. */
  site: SiteSettings
  /** What the person said to marketing before; null where nothing yet. The question would cover every test but its own. */
  consent: 'no' | null
  /** How fast episodes play: slow ones last a minute, so that no test meets an end that it does not wait for. */
  pace: 'slow' | 'real'
}

interface Automatic {
  locatorCheck: void
  ownSite: void
  silentConsole: void
  answeredConsent: void
  slowEpisodes: void
}

interface PerWorker {
  /** Serves the sites of this worker; `openFor` names what the open one was asked for. */
  siteServer: { server: SiteServer; open?: OpenSite; openFor?: string }
}

/**
 * Every test file has a site of its own, on a clone of a prepared database, and each failure brings the rest of its file a
 * new one. Every browser test also holds that the console stays silent, in each window that it opens.
 */
export const test = base.extend<Options & Automatic, PerWorker>({
  forgiven: [undefined, { option: true }],
  site: [usualSite, { option: true }],
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
    { auto: true, timeout: 120_000 },
  ],
  answeredConsent: [
    async ({ browser, consent }, use) => {
      // Quicker by a page than a context's `storageState`.
      if (!consent) return use()
      await inEveryContext(browser, (context) => void context.addInitScript(keepConsent, consent), use)
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
    async ({ browser, forgiven }, use) => {
      const noise: string[] = []
      const hear = (text: string) => {
        if (!forgiven?.test(text)) noise.push(text)
      }
      const listen = (context: BrowserContext) => {
        context.on('console', (message) => isNoise(message) && hear(message.text()))
        context.on('weberror', (thrown) => hear(thrown.error().message))
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

/** Runs in each page, where no answer is kept yet. Pages without an origin of their own have no storage. */
function keepConsent(answer: string | null): void {
  if (answer && location.protocol.startsWith('http') && localStorage.getItem('consent') === null)
    localStorage.setItem('consent', answer)
}

/** Runs in each page: a tenth of the usual speed, once the episode is there: at that speed the browser would fetch little of it. */
function playSlowly(): void {
  const slow = ({ target }: Event) => {
    if (!(target instanceof HTMLVideoElement)) return
    const { buffered, currentTime, duration } = target
    const held = buffered.length > 0 ? buffered.end(buffered.length - 1) : 0
    if (held >= duration - 0.5 || currentTime > duration / 2) target.playbackRate = 0.1
  }
  for (const type of ['playing', 'progress', 'timeupdate']) document.addEventListener(type, slow, true)
}

function isNoise(message: ConsoleMessage): boolean {
  const text = message.text()
  // A page that is not there is told so with HTTP 404, which the browser writes down.
  const missing = text.includes('status of 404') && message.location().url.endsWith(missingPath)
  return ['error', 'warning'].includes(message.type()) && text !== blockedWorker && !missing
}
