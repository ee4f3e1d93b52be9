import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandboxSite, type SandboxSite } from '#e2e/sandbox-site.ts'
import { sandboxSiteUrl } from '#e2e/site-url.ts'
import type { RealBrowser } from './browser.ts'
import { runFirefox } from './run-firefox.ts'
import { runWebkit } from './run-webkit.ts'

/** Three episodes free, the fourth locked. */
const tower = { slug: 'the-tower', title: 'The Tower', episodes: 4, free: 3, size: '360x640', sound: true }
/** The video on screen, in the page. */
const shown = `const shown = [...document.querySelectorAll('video')].find((video) => !video.closest('[inert]') && video.isConnected)`
/** The browsers have less than what a person's machine has. */
const patience = { timeout: 15_000, interval: 200 }

let site: SandboxSite
let video: string
beforeAll(async () => {
  site = await startSandboxSite({}, [tower])
  const home = await (await fetch(`${sandboxSiteUrl}/api/homepage`)).text()
  const [id = ''] = /vid_\w+/.exec(home) ?? []
  video = `${sandboxSiteUrl}/videos/${id}`
}, 120_000)
afterAll(() => site.close())

describe.each([
  ['Firefox', runFirefox],
  ['WebKitGTK', runWebkit],
])('%s', (_name, start) => {
  let browser: RealBrowser
  beforeAll(async () => {
    browser = await start()
    await browser.open(sandboxSiteUrl)
    // Declined, so that the question lies over nothing.
    await browser.run(`localStorage.setItem('consent', 'no')`)
  })
  afterAll(() => browser.close())

  const sees = (text: string) =>
    expect.poll(() => browser.run<string>('return document.body.innerText'), patience).toContain(text)
  const second = () => browser.run<number>(`${shown}; return shown && !shown.paused ? shown.currentTime : 0`)
  const there = (selector: string) =>
    expect
      .poll(
        () => browser.run<boolean>(`return Boolean(document.querySelector(${JSON.stringify(selector)}))`),
        patience,
      )
      .toBe(true)

  it('shows the homepage with its pictures', async () => {
    await browser.open(sandboxSiteUrl)
    await sees('The Tower')
    const loaded = `return [...document.images].some(({ naturalWidth }) => naturalWidth > 0)`
    await expect.poll(() => browser.run(loaded), patience).toBe(true)
  })

  it('plays an episode, and the next one at a key', async () => {
    await browser.open(`${video}?episode=1`)
    await expect.poll(second, patience).toBeGreaterThan(1)
    await there('input[type=range]')
    await browser.press('n')
    await expect.poll(() => browser.run('return location.search'), patience).toBe('?episode=2')
    await expect.poll(second, patience).toBeGreaterThan(0.5)
  })

  it('seeks, and shows captions until they are turned off', async () => {
    const captions = `${shown}; return [...shown.textTracks].some(({ mode, activeCues }) =>
      mode === 'showing' && [...(activeCues ?? [])].some(({ text }) => text.startsWith('The Tower, episode ')))`
    await browser.open(`${video}?episode=1`)
    await expect.poll(second, patience).toBeGreaterThan(0)
    await browser.run(`${shown}; shown.currentTime = 4`)
    await expect.poll(second, patience).toBeGreaterThan(4.2)
    await expect.poll(() => browser.run(captions), patience).toBe(true)
    await browser.press('c')
    await expect.poll(() => browser.run(captions), patience).toBe(false)
  })

  it('stops at the locked episode with its offer', async () => {
    await browser.open(`${video}?episode=4`)
    await sees('Episode 4 is locked')
    await sees('$0.99')
    expect(await second()).toBe(0)
  })

  it('writes nothing to its console', () => {
    expect(browser.noise() ?? []).toEqual([])
  })
})
