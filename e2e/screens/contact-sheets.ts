import { chromium, type Browser, type BrowserContextOptions } from '@playwright/test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import sharp, { type OverlayOptions } from 'sharp'
import { readArguments } from '#scripts/read-arguments.mjs'
import { desktop, phone } from '#e2e/playwright.config.ts'
import { createPayingMember, deleteMember } from '#e2e/support/create-paying-member.ts'
import { findChromium } from '#e2e/support/find-chromium.ts'
import { shotsOf, type Content, type Shot } from './screen-states.ts'
import { findStudioContent, studioShotsOf } from './studio-states.ts'
import { acceptInvitationLink } from '#e2e/support/studio.ts'

/**
 * `npm run screens -- URL` takes screenshots of every screen in each of its states on a running site: in English and
 * German, on a phone in portrait and landscape, a tablet and a desktop, and at 200 % zoom.
 * Screenshots are written to test-results/screens/<language>-<size>/, and their contact sheets beside these folders.
 * `npm run screens -- URL en-phone video` creates only sheets and screenshots whose names match. The site needs the
 * sandbox gateway.
 * With the one-time link of a new owner as URL, the command takes screenshots of the studio. Their folders and sheets
 * have the prefix `studio-`. `npm run studio -- operator add EMAIL` prints such a link.
 */
const sizes: Record<string, Device> = {
  phone,
  landscape: { ...phone, viewport: { width: 844, height: 390 } },
  tablet: { ...phone, viewport: { width: 820, height: 1180 } },
  desktop,
  zoomed: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 },
}
const languages = { en: 'en-US', dy: 'de-DE' }
const settleMs = 700
const thumb = { width: 360, gap: 16, label: 28, columns: 8 }
const concurrency = 2
const folder = join(import.meta.dirname, '../..', 'test-results', 'screens')

type Device = BrowserContextOptions & { viewport: { width: number; height: number } }

type State = Exclude<BrowserContextOptions['storageState'], string | undefined>

async function findContent(url: string): Promise<Content & { ids: string[] }> {
  const answer = await fetch(`${url}/api/homepage`)
  const { info } = (await answer.json()) as {
    info: {
      menu: { id: string }[]
      homepage: { id: string; items: { id: string; episode_count: number }[] }[]
    }
  }
  const [first, second = first] = info.homepage
  const plans = (await (await fetch(`${url}/api/plan`)).json()) as { data: { list: { id: string }[] } }
  const ids = (first?.items ?? [])
    .toSorted((one, other) => other.episode_count - one.episode_count)
    .map(({ id }) => id)
    .slice(0, 5)
  if (!second || !ids[0]) throw new Error(`${url} shows no drama`)
  return {
    ids,
    video: `/videos/${ids[0]}`,
    section: second.id,
    category: info.menu[0]?.id ?? 'none',
    plan: plans.data.list[0]?.id ?? 'none',
  }
}

async function photograph(
  browser: Browser,
  url: string,
  shot: Shot,
  options: BrowserContextOptions,
): Promise<Buffer> {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(8000)
  try {
    const page = await context.newPage()
    await shot.before?.(page)
    await page.goto(url + shot.path)
    await page.waitForTimeout(settleMs)
    await shot.act?.(page)?.catch((error: unknown) => console.error(`\n${shot.name}: ${String(error)}`))
    await page.waitForTimeout(settleMs)
    // Long timeout, because a busy machine renders a playing video slowly.
    return await page.screenshot({ timeout: 60_000 })
  } finally {
    await context.close()
  }
}

const label = (text: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${thumb.width}" height="${thumb.label}"><text x="0" y="20" font-family="sans-serif" font-size="18">${text}</text></svg>`,
  )

interface Picture {
  name: string
  image: Buffer
}

async function composeSheet(
  pictures: Picture[],
  { width, height }: { width: number; height: number },
  file: string,
) {
  const thumbHeight = Math.round((thumb.width * height) / width)
  const step = thumbHeight + thumb.label + thumb.gap
  const overlays = pictures.map(async ({ name, image }, i): Promise<OverlayOptions[]> => {
    const left = thumb.gap + (i % thumb.columns) * (thumb.width + thumb.gap)
    const top = thumb.gap + Math.floor(i / thumb.columns) * step
    return [
      { input: label(name), left, top },
      {
        input: await sharp(image).resize(thumb.width, thumbHeight).toBuffer(),
        left,
        top: top + thumb.label,
      },
    ]
  })
  const sheet = {
    width: thumb.gap + thumb.columns * (thumb.width + thumb.gap),
    height: thumb.gap + Math.ceil(pictures.length / thumb.columns) * step,
    channels: 3 as const,
    background: '#999',
  }
  await sharp({ create: sheet })
    .composite((await Promise.all(overlays)).flat())
    .png()
    .toFile(file)
}

/** Takes all screenshots of one size and language, several at the same time. */
async function photographAll(browser: Browser, url: string, sheet: Sheet): Promise<Picture[]> {
  const { shots, device, locale, guest, member } = sheet
  const home = join(folder, sheet.name)
  mkdirSync(home, { recursive: true })
  const pictures: Picture[] = []
  const queue = [...shots.entries()]
  const takeShots = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [i, shot] = next
      const storageState = shot.member ? member : guest
      const image = await photograph(browser, url, shot, { ...device, locale, storageState })
      pictures[i] = { name: shot.name, image }
      await sharp(image).toFile(join(home, shot.file))
      process.stdout.write(`\r${sheet.name}: ${shots.length - queue.length} of ${shots.length} `)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, takeShots))
  return pictures
}

interface Sheet {
  name: string
  shots: (Shot & { file: string })[]
  device: Device
  locale: string
  guest: State
  member: State
}

const { positionals: args } = readArguments({
  name: 'screens',
  about:
    'Takes screenshots of every screen of a running site, or of the studio if the URL is the one-time link of an operator.',
  positionals: '[URL] [sheet] [screen]',
})
const address = new URL(args.find((argument) => argument.startsWith('http')) ?? 'http://localhost:3000')
const url = address.origin
const studioLink = address.pathname === '/studio/welcome' ? address.href : undefined
const [wantedSheet = '', wantedShot = ''] = args.filter((argument) => !argument.startsWith('http'))
const guest: State = {
  cookies: [],
  origins: [{ origin: url, localStorage: [{ name: 'consent', value: 'no' }] }],
}
const browser = await chromium.launch(await findChromium())
const home = await browser.newPage({ locale: 'en-US', storageState: guest })
home.setDefaultTimeout(90_000)
try {
  const found = studioLink ? await signInToStudio(studioLink) : await becomeViewer()
  const member = await home.context().storageState()
  const shots = found
    .map((shot, i) => ({
      ...shot,
      file: `${String(i + 1).padStart(2, '0')}-${shot.name.replaceAll(/\W+/g, '-')}.png`,
    }))
    .filter(({ name }) => new RegExp(wantedShot).test(name))
  for (const [language, locale] of Object.entries(languages)) {
    for (const [size, device] of Object.entries(sizes)) {
      const name = `${studioLink ? 'studio-' : ''}${language}-${size}`
      if (!new RegExp(wantedSheet).test(name)) continue
      const pictures = await photographAll(browser, url, { name, shots, device, locale, guest, member })
      const file = join(folder, `${name}.png`)
      await composeSheet(pictures, device.viewport, file)
      console.log(`\r${file}`.padEnd(40))
    }
  }
} finally {
  if (!studioLink) await deleteMember(home, url)
  await browser.close()
}

/** Registers a member, and returns the screens of viewers. */
async function becomeViewer(): Promise<Shot[]> {
  const content = await findContent(url)
  await createPayingMember(home, url, content.ids)
  return shotsOf(content)
}

/** Signs in to the studio, and returns its screens. */
async function signInToStudio(link: string): Promise<Shot[]> {
  await acceptInvitationLink(home, link)
  return studioShotsOf(await findStudioContent(home, url))
}
