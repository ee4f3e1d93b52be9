import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { siteUrl } from '#e2e/support/site-url.ts'
import prepareSites from '#e2e/site/global-setup.ts'
import { SiteServer } from '#e2e/site/site-server.ts'
import type { RealBrowser } from './real-browser.ts'
import { runFirefox } from './run-firefox.ts'
import { runWebkit } from './run-webkit.ts'

/** Source of a script. It defines `shown` as the video on screen. */
const shown = `const shown = [...document.querySelectorAll('video')].find((video) => !video.closest('[inert]') && video.isConnected)`
/**
 * Times in milliseconds. The timeout is long, because browsers are slower on a test machine than on a user's device.
 */
const pollOptions = { timeout: 60_000, interval: 200 }

let server: SiteServer
let endSites: () => Promise<void>
let video: string
beforeAll(async () => {
  endSites = await prepareSites()
  server = new SiteServer()
  await server.open({ template: 'tower', withFakeServices: false, settings: {} })
  const home = await (await fetch(`${siteUrl}/api/homepage`)).json()
  const { info } = home as { info: { homepage: { items: { id: string; title: string }[] }[] } }
  const dramas = info.homepage.flatMap(({ items }) => items)
  video = `${siteUrl}/videos/${dramas.find(({ title }) => title === 'The Test Tower')?.id ?? ''}`
})
afterAll(async () => {
  await server.end()
  await endSites()
})

describe.each([
  ['Firefox', runFirefox],
  ['WebKitGTK', runWebkit],
])('%s', (_name, start) => {
  let browser: RealBrowser
  // Starts a new browser for each test, because WebKitGTK sometimes hangs when it leaves a page with a playing video.
  beforeEach(async () => {
    browser = await start()
    await browser.open(siteUrl)
    // Declines consent, so that the consent banner covers no controls.
    await browser.evaluate(`localStorage.setItem('consent', 'no')`)
  })
  afterEach(async () => {
    await browser.close()
    expect(browser.consoleErrors() ?? [], 'what the page wrote to the console').toEqual([])
  })

  const expectText = (text: string) =>
    expect.poll(() => browser.evaluate<string>('return document.body.innerText'), pollOptions).toContain(text)
  const currentSecond = () =>
    browser.evaluate<number>(`${shown}; return shown && !shown.paused ? shown.currentTime : 0`)
  const expectElement = (selector: string) =>
    expect
      .poll(
        () =>
          browser.evaluate<boolean>(`return Boolean(document.querySelector(${JSON.stringify(selector)}))`),
        pollOptions,
      )
      .toBe(true)

  it('shows the homepage with its images', async () => {
    await browser.open(siteUrl)
    await expectText('The Test Tower')
    const loaded = `return [...document.images].some(({ naturalWidth }) => naturalWidth > 0)`
    await expect.poll(() => browser.evaluate(loaded), pollOptions).toBe(true)
  })

  it('plays an episode, and after a key press the next episode', async () => {
    await browser.open(`${video}?episode=1`)
    await expect.poll(currentSecond, pollOptions).toBeGreaterThan(1)
    await expectElement('input[type=range]')
    await browser.press('n')
    await expect.poll(() => browser.evaluate('return location.search'), pollOptions).toBe('?episode=2')
    await expect.poll(currentSecond, pollOptions).toBeGreaterThan(0.5)
  })

  it('seeks, and shows captions until they are turned off', async () => {
    const captions = `return [...document.querySelectorAll('[data-captions] p')].some((line) =>
      !line.closest('[inert]') && line.innerText.startsWith('The Test Tower, episode '))`
    await browser.open(`${video}?episode=1`)
    await expect.poll(currentSecond, pollOptions).toBeGreaterThan(0)
    await browser.evaluate(`${shown}; shown.currentTime = 4`)
    await expect.poll(currentSecond, pollOptions).toBeGreaterThan(4.2)
    await expect.poll(() => browser.evaluate(captions), pollOptions).toBe(true)
    await browser.press('c')
    await expect.poll(() => browser.evaluate(captions), pollOptions).toBe(false)
  })

  it('shows the offer of a locked episode and plays no video', async () => {
    await browser.open(`${video}?episode=4`)
    await expectText('Episode 4 is locked')
    await expectText('$0.99')
    expect(await currentSecond()).toBe(0)
  })
})
