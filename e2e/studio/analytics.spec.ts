import type { Locator, Page } from '@playwright/test'
import decodeQR from 'qr/decode.js'
import sharp from 'sharp'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { currentSite } from '#e2e/site/site-server.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'
import { expectPlaying, lockedPanel, payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

test.use({ bypassCSP: true })

interface Row {
  key: string
  visits: number
  plays: number
  paywalls: number
  paid: number
}

/** Returns the conversion funnel, as the studio's command line prints it. */
async function funnelBy(kind: 'token' | 'video'): Promise<Row[]> {
  const printed = await currentSite().server.studio(
    'analytics',
    'funnel',
    '--by',
    kind,
    '--limit',
    '50',
    '--json',
  )
  return (JSON.parse(printed) as { list: Row[] }).list
}

const funnelOf = async (token: string) => (await funnelBy('token')).find(({ key }) => key === token)

/** Decodes the QR code of an image. */
async function readQrCode(picture: Locator): Promise<string> {
  const { data, info } = await sharp(await picture.screenshot())
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return decodeQR({ width: info.width, height: info.height, data })
}

/** Follows a link to the third episode, continues to the locked one and buys it. */
async function visitAndBuy(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await expectPlaying(page, 3)
  // The interface, which loads after the video, stores the referrer.
  await expect(page.getByRole('button', { name: 'Settings', exact: true })).toBeAttached()
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expectPlaying(page, 4)
}

test('a visit by a link, a paywall view and a payment each count once in the funnel, and the table of links shows the revenue @desktop', async ({
  page,
  browser,
}) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/analytics')
  const name = `Poster ${crypto.randomUUID().slice(0, 6)}`
  await page.getByLabel('Link name').fill(name)
  const video = page.getByLabel('Video', { exact: true })
  const episode = page.getByLabel('Episode', { exact: true })
  await video.fill(await towerUrl(page, 4))
  await expect(episode).toHaveValue('4')
  await expect(page.getByLabel('Choose a video')).toHaveCount(0)
  await video.fill('Tower')
  await page.getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByText('Choose a video, or paste the address')).toBeVisible()
  await page.getByLabel('Choose a video').selectOption({ label: 'The Test Tower' })
  await episode.fill('3')
  await page.getByRole('button', { name: 'Create link' }).click()
  const dialog = page.getByRole('dialog', { name })
  await expect(dialog.locator('code')).toHaveText(/token=/)
  const address = (await dialog.locator('code').textContent()) ?? ''
  // The screenshot may be taken before the image is drawn.
  await expect.poll(() => readQrCode(dialog.getByRole('img')).catch(String)).toBe(address)
  await expectAccessible(page)
  await expectNoOverflow(page)
  const token = new URL(address).searchParams.get('token') ?? ''
  await page.keyboard.press('Escape')

  const viewer = await browser.newPage()
  await visitAndBuy(viewer, address)
  await viewer.reload()
  await viewer.close()
  const all = { visits: 1, paywalls: 1, paid: 1 }
  await expect.poll(() => funnelOf(token), { intervals: [3000] }).toMatchObject(all)
  await expect
    .poll(async () => (await funnelOf(token))?.plays, { intervals: [3000] })
    .toBeGreaterThanOrEqual(1)

  await page.reload()
  const row = page.getByRole('table', { name: 'Conversion funnel' }).getByRole('row', { name })
  await expect(row).toContainText('$0.99')
  await expect(page.getByRole('table', { name: 'Links' }).getByRole('row', { name })).toContainText('$0.99')
  await page.getByLabel('Group by', { exact: true }).selectOption('video')
  await page.getByRole('link', { name: 'The Test Tower' }).click()
  await expect(page.getByRole('img', { name: /Viewers who started/ })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Viewers by episode' }).getByRole('row')).not.toHaveCount(0)
})

/** A week with new subscribers, churn and failed renewals. */
const week = Array.from({ length: 7 }, (_, index) => ({
  day: `2026-03-0${index + 1}`,
  revenue: [],
  subscribed: index === 1 ? 3 : 0,
  churned: index === 4 ? 2 : 0,
  failed_renewals: index === 5 ? 4 : 0,
}))

for (const [language, words] of [
  [
    'en',
    { churn: 'Churned subscriptions by day', failed: 'Failed renewals by day of the first failed attempt' },
  ],
  [
    'dy',
    {
      churn: 'Beendete Abos pro Tag',
      failed: 'Fehlgeschlagene Verlängerungen nach dem Tag des ersten Fehlversuchs',
    },
  ],
] as const)
  test(
    `churn and failed renewals have separate charts above the table of days, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      await openStudioWithSession(page, 'analyst')
      await page.route('**/api/studio/analytics/days*', (route) =>
        route.fulfill({ json: { code: 200, data: { list: week, totals: [], subscribers: 1 } } }),
      )
      await page.goto(`/studio/analytics?lang=${language}`)
      const barsOf = (name: string) => page.getByRole('img', { name }).locator('rect')
      const hasHeight = (name: string) =>
        barsOf(name).evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('height')) > 0))
      await expect(barsOf(words.churn)).toHaveCount(7)
      await expect.poll(async () => (await hasHeight(words.churn)).indexOf(true)).toBe(4)
      await expect.poll(async () => (await hasHeight(words.failed)).indexOf(true)).toBe(5)
      await expect(page.getByText(words.failed, { exact: true })).toBeVisible()
      await expect(page.getByRole('table').first().getByRole('row')).toHaveCount(4)
      await expectAccessible(page)
      await expectNoOverflow(page)
    },
  )

test('an editor sees the links, and no conversion funnel @desktop', async ({ page }) => {
  await openStudioWithSession(page, 'editor')
  await page.goto('/studio/analytics')
  await expect(page.getByRole('heading', { name: 'Links' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Conversion funnel' })).toHaveCount(0)
})

for (const [language, words] of [
  ['en', { funnel: 'Conversion funnel', by: 'Group by' }],
  ['dy', { funnel: 'Konversionstrichter', by: 'Gruppieren nach' }],
] as const)
  test(
    `analytics by token, click and video is accessible and fits, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      await page.goto(await towerUrl(page, 1))
      await expectPlaying(page, 1)
      const videos = async () => (await funnelBy('video')).length
      await expect.poll(videos, { intervals: [3000] }).toBeGreaterThan(0)
      await openStudioWithSession(page, 'analyst')
      await page.goto(`/studio/analytics?lang=${language}`)
      await expect(page.getByRole('heading', { name: words.funnel })).toBeVisible()
      for (const by of ['token', 'click', 'video']) {
        // The rows of the previous choice stay until the response arrives. The first choice is the default.
        const answered =
          by !== 'token' && page.waitForResponse((response) => response.url().includes(`/funnel?by=${by}`))
        await page.getByLabel(words.by, { exact: true }).selectOption(by)
        await answered
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
        await expectAccessible(page)
        await expectNoOverflow(page)
      }
      const tower = page.getByRole('table', { name: words.funnel }).getByRole('link').first()
      await tower.click()
      await expect(page).toHaveURL(/analytics\/videos\//)
      await expect(page.locator('h2')).toHaveCount(1)
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      await expectAccessible(page)
      await expectNoOverflow(page)
    },
  )
