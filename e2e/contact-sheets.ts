import { chromium, type Browser, type Page } from '@playwright/test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { findChromium } from './find-chromium.ts'

/**
 * `npm run screens -- URL` photographs every screen and its states on a running site, in English and German, on a phone,
 * a tablet and a desktop, and lays them out on one sheet each in test-results/screens/.
 */
interface Shot {
  name: string
  /** The path, or how to get there. */
  path: string
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<unknown>
}

const sizes = {
  phone: { width: 390, height: 844 },
  tablet: { width: 820, height: 1180 },
  desktop: { width: 1440, height: 900 },
}
const languages = { en: 'en-US', dy: 'de-DE' }
const settleMs = 900
const thumb = { width: 420, gap: 16, columns: 6 }
const folder = join(import.meta.dirname, '..', 'test-results', 'screens')

const noAnswers = (page: Page) =>
  page.route('**/api/**', (route) => route.abort()).then(() => page.reload({ waitUntil: 'commit' }))
const submit = (page: Page) => page.locator('main button[type=submit]').click()
const openMenu = (page: Page) => page.locator('[popovertarget=user-menu]').click()

const paths = (
  '/ /search /searchDetail/a /searchDetail/nothing-like-it /favorites /historys /unlocked /login /register ' +
  '/retrievePassword /individual /my /shopping /order/result?order_id=ord_none /privacyPolicy /refundPolicy ' +
  '/serviceAgreement /contentPolicy /commonQuestions /contactUs /nowhere'
).split(' ')

function shotsOf(video: string): Shot[] {
  const plain = paths.map((path) => ({ name: path, path }))
  return [
    ...plain,
    { name: 'home, end', path: '/', act: (page) => page.keyboard.press('End') },
    { name: 'home, user menu', path: '/', act: openMenu },
    { name: 'home, no answer', path: '/', act: noAnswers },
    { name: 'list, no answer', path: '/favorites', act: noAnswers },
    { name: 'sign in, mistakes', path: '/login', act: submit },
    { name: 'register, mistakes', path: '/register', act: submit },
    { name: 'video', path: video },
    { name: 'video, no answer', path: video, act: noAnswers },
    { name: 'locked episode', path: `${video}?episode=4` },
  ]
}

/** The first drama of the homepage. */
async function findVideo(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/homepage`)
  const { info } = (await answer.json()) as { info: { homepage: { items: { id: string }[] }[] } }
  const id = info.homepage[0]?.items[0]?.id
  if (id === undefined) throw new Error(`${url} shows no drama`)
  return `/videos/${id}`
}

async function photograph(
  browser: Browser,
  url: string,
  shot: Shot,
  options: { viewport: { width: number; height: number }; locale: string },
): Promise<Buffer> {
  const phone = options.viewport.width < 1000
  const context = await browser.newContext({ ...options, isMobile: phone, hasTouch: phone })
  try {
    const page = await context.newPage()
    await page.goto(url + shot.path)
    await page.waitForTimeout(settleMs)
    await shot.act?.(page)
    await page.waitForTimeout(settleMs)
    return await page.screenshot()
  } finally {
    await context.close()
  }
}

async function layOut(
  pictures: Buffer[],
  { width, height }: { width: number; height: number },
  file: string,
) {
  const tall = Math.round((thumb.width * height) / width)
  const rows = Math.ceil(pictures.length / thumb.columns)
  const overlays = await Promise.all(
    pictures.map(async (input, i): Promise<OverlayOptions> => ({
      input: await sharp(input).resize(thumb.width, tall).toBuffer(),
      left: thumb.gap + (i % thumb.columns) * (thumb.width + thumb.gap),
      top: thumb.gap + Math.floor(i / thumb.columns) * (tall + thumb.gap),
    })),
  )
  const sheet = {
    width: thumb.gap + thumb.columns * (thumb.width + thumb.gap),
    height: thumb.gap + rows * (tall + thumb.gap),
    channels: 3 as const,
    background: '#888',
  }
  await sharp({ create: sheet }).composite(overlays).png().toFile(file)
}

const url = process.argv.slice(2).find((argument) => argument.startsWith('http')) ?? 'http://localhost:3000'
mkdirSync(folder, { recursive: true })
const shots = shotsOf(await findVideo(url))
const browser = await chromium.launch(await findChromium())
try {
  for (const [language, locale] of Object.entries(languages)) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const pictures: Buffer[] = []
      for (const shot of shots) {
        process.stdout.write(
          `\r${language} ${size}: ${pictures.length + 1} of ${shots.length}, ${shot.name}`.padEnd(70),
        )
        pictures.push(await photograph(browser, url, shot, { viewport, locale }))
      }
      const file = join(folder, `${language}-${size}.png`)
      await layOut(pictures, viewport, file)
      console.log(`\r${file}`.padEnd(71))
    }
  }
} finally {
  await browser.close()
}
