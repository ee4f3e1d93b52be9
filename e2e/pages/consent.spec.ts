import type { Locator, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import {
  expectNoLayoutShift,
  expectAccessible,
  readStable,
  recordLayoutShifts,
} from '#e2e/support/page-quality.ts'
import { interceptPixels } from '#e2e/fakes/pixel-servers.ts'
import { desktop } from '#e2e/playwright.config.ts'
import { resolvePath } from '#e2e/support/routes.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { lockedPanel, payByCard, payByWallet } from '#e2e/support/playback-and-payment.ts'

// The consent banner is not answered yet.
test.use({ consent: null })

const banner = (page: Page) => page.getByRole('region', { name: 'Your privacy' })
const accept = (page: Page) => banner(page).getByRole('button', { name: 'Accept' })
const decline = (page: Page) => banner(page).getByRole('button', { name: 'Decline' })
const platforms = ['meta', 'google', 'tiktok', 'bigo']

test('after the viewer declines, the site sends no events to third parties and does not ask again', async ({
  page,
  context,
}) => {
  const { requests } = await interceptPixels(context, siteUrl)
  await page.goto('/?fbclid=click')
  const sizes = async () => {
    const buttonBoxes = await Promise.all([accept(page).boundingBox(), decline(page).boundingBox()])
    return buttonBoxes.map((box) => [box?.width, box?.height])
  }
  const [acceptSize, declineSize] = await readStable(sizes)
  expect(acceptSize).toEqual(declineSize)
  await decline(page).click()
  await expect(banner(page)).toBeHidden()
  await page.goto('/searchDetail/tower')
  await expect(page.getByRole('heading', { name: /Results for/ })).toBeVisible()
  // The banner is in a chunk that loads when the page is idle.
  await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
  await expect(banner(page)).toBeHidden()
  expect(requests).toEqual([])
  expect(await page.evaluate(() => localStorage.getItem('fbclid'))).toBeNull()
})

test('the banner causes no layout shift and is accessible', { tag: '@screens' }, async ({ browser }) => {
  // axe injects its own script into the page.
  const context = await browser.newContext({ bypassCSP: true })
  await interceptPixels(context, siteUrl)
  const page = await context.newPage()
  await recordLayoutShifts(page)
  await page.goto('/')
  await expect(banner(page)).toBeVisible()
  await expectAccessible(page)
  await expectNoLayoutShift(page)
  await context.close()
})

/** A phone, the phone in landscape, a desktop at 200 % zoom, and a desktop. */
const landingSizes = [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 720, height: 450 },
  desktop.viewport,
]

for (const { name, path } of [
  { name: 'a locked episode', path: '/videos/{video}?episode=4' },
  { name: 'a free episode', path: '/videos/{video}?episode=1' },
])
  test(`the banner covers nothing of ${name}, the landing page of an ad @screens`, async ({
    page,
    context,
  }) => {
    await interceptPixels(context, siteUrl)
    await recordLayoutShifts(page)
    await page.goto(`${await resolvePath(page, path)}&fbclid=click`)
    await expect(accept(page)).toBeVisible()
    const region = path.endsWith('4') ? lockedPanel(page, 4) : page.locator('[data-player]')
    await expect(region).toBeVisible()
    await expectNoLayoutShift(page)
    for (const viewport of landingSizes) {
      await page.setViewportSize(viewport)
      await expect.poll(() => gapAbove(banner(page), region)).toBeGreaterThanOrEqual(0)
    }
    await banner(page).getByRole('button', { name: 'Details' }).click()
    await expect(banner(page)).toContainText('change your choice')
    await banner(page).getByRole('button', { name: 'Close' }).click()
    await decline(page).click()
    await expect(banner(page)).toBeHidden()
    const playerBottom = async () => {
      const player = await page.locator('[data-player]').boundingBox()
      return (player?.y ?? 0) + (player?.height ?? 0)
    }
    await expect.poll(playerBottom).toBeGreaterThan(desktop.viewport.height - 40)
  })

/** Narrow phones. The last size is that of a phone with 360 px at 200 % zoom. */
const narrow = [
  { width: 320, height: 568 },
  { width: 280, height: 653 },
  { width: 240, height: 520 },
  { width: 180, height: 427 },
]

/** The banner's title in each language. */
const titles = {
  en: 'Your privacy',
  es: 'Tu privacidad',
  pt: 'Sua privacidade',
  fr: 'Votre vie privée',
  de: 'Ihre Privatsphäre',
}

test.describe('on very narrow screens', () => {
  for (const [lang, name] of Object.entries(titles))
    test(`the banner is fully visible, covers nothing and can be answered: ${lang} @screens`, async ({
      page,
      context,
    }) => {
      const bar = page.getByRole('region', { name })
      await interceptPixels(context, siteUrl)
      await recordLayoutShifts(page)
      const video = await resolvePath(page, '/videos/{video}?episode=1')
      await page.setViewportSize(narrow[0] ?? desktop.viewport)
      await page.goto(`/?lang=${lang}&fbclid=click`)
      for (const viewport of narrow) {
        await page.setViewportSize(viewport)
        await expectUncovered(bar, viewport)
      }
      for (const viewport of narrow) {
        await page.setViewportSize(viewport)
        await page.goto(`${video}&lang=${lang}&fbclid=click`)
        await expectUncovered(bar, viewport)
        await expect.poll(() => gapAbove(bar, page.locator('[data-player]'))).toBe(0)
        await expectNoLayoutShift(page)
      }
    })
})

/**
 * Expects that the bar is within the window, its texts and buttons are within the bar, and nothing covers their
 * centres.
 */
async function expectUncovered(bar: Locator, window: { width: number; height: number }): Promise<void> {
  await expect(bar.getByRole('button')).toHaveCount(3)
  const faults = () =>
    bar.evaluate((element, { width, height }) => {
      const barBox = element.getBoundingClientRect()
      const isInside = (
        inner: DOMRect,
        outer: { left: number; right: number; top: number; bottom: number },
      ) =>
        inner.left >= outer.left - 1 &&
        inner.right <= outer.right + 1 &&
        inner.top >= outer.top - 1 &&
        inner.bottom <= outer.bottom + 1
      const parts = [...element.querySelectorAll('p, button')].flatMap((part) => {
        const { textContent: content } = part
        const text = document.createRange()
        text.selectNodeContents(part)
        const box = part.getBoundingClientRect()
        const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
        return [
          ...(isInside(box, barBox) ? [] : [`outside: ${content}`]),
          ...(isInside(text.getBoundingClientRect(), box) ? [] : [`cut: ${content}`]),
          ...(top && part.contains(top) ? [] : [`covered: ${content}`]),
        ]
      })
      return isInside(barBox, { left: 0, top: 0, right: width, bottom: height })
        ? parts
        : ['out of sight', ...parts]
    }, window)
  await expect.poll(faults, `${window.width} px`).toEqual([])
}

/** Returns the vertical gap between the bar and the element above the bar. */
async function gapAbove(bar: Locator, element: Locator): Promise<number> {
  const [barBox, box] = await Promise.all([bar.boundingBox(), element.boundingBox()])
  return barBox && box ? barBox.y - box.y - box.height : -1
}

test('after the viewer accepts, the site sends events to all four platforms, with the amount and the id of the order', async ({
  page,
  context,
}) => {
  const { events, requests, eventsOf } = await interceptPixels(context, siteUrl)
  await page.goto('/?token=ann')
  await expect(banner(page)).toBeVisible()
  expect(requests).toEqual([])
  await accept(page).click()
  for (const platform of platforms) await expect.poll(() => eventsOf(platform)).toHaveLength(1)
  await expect.poll(() => agreedOnServer(page)).toBe(true)

  await page.goto('/searchDetail/tower')
  await expect.poll(() => eventsOf('meta')).toEqual(['PageView', 'PageView', 'Search'])
  for (const [platform, event] of Object.entries({ google: 'search', tiktok: 'Search', bigo: 'search' }))
    await expect.poll(() => eventsOf(platform)).toContain(event)
  await page.getByRole('link', { name: /The Test Tower/ }).click()
  await page.waitForURL(/\/videos\//)
  await page.goto(`${page.url().split('?')[0]}?episode=4`)
  const panel = lockedPanel(page, 4)
  const order = page.waitForResponse('**/api/payment/order')
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  const { info } = (await (await order).json()) as { info: { id: string } }

  const purchases = () => events.filter(({ event }) => /purchase/i.test(event))
  await expect
    .poll(() =>
      purchases()
        .map(({ platform }) => platform)
        .toSorted(),
    )
    .toEqual(platforms.toSorted())
  for (const { id, fields } of purchases()) {
    expect(id).toBe(info.id)
    expect(fields).toMatchObject({ value: 0.99, currency: 'USD' })
  }
  expect(eventsOf('tiktok')).toEqual(
    expect.arrayContaining(['Pageview', 'ViewContent', 'Search', 'InitiateCheckout']),
  )
  expect(eventsOf('google')).toEqual(
    expect.arrayContaining(['page_view', 'view_item', 'search', 'begin_checkout']),
  )
  expect(eventsOf('bigo')).toEqual(
    expect.arrayContaining(['page_view', 'ec_detail_view', 'search', 'ec_order']),
  )
  expect(requests.filter((url) => url.includes('ann'))).toEqual([])
})

test('a subscription and a registration are sent with the event ids of the server', async ({
  page,
  context,
}) => {
  const { events } = await interceptPixels(context, siteUrl)
  const metaEvent = (event: string) => events.find((sent) => sent.platform === 'meta' && sent.event === event)
  await page.goto('/shopping')
  await accept(page).click()
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  const order = page.waitForResponse('**/api/payment/order')
  await payByCard(page, { number: '4242 4242 4242 4242' })
  const { info } = (await (await order).json()) as { info: { id: string } }
  await expect.poll(() => metaEvent('Subscribe')).toMatchObject({ id: info.id, fields: { value: 4.99 } })

  await page.goto('/register')
  await page.getByLabel('E-mail').fill(`consent-${Date.now()}@example.com`)
  await page.getByLabel('Password', { exact: true }).fill('a long enough phrase')
  await page.getByLabel('Repeat your password').fill('a long enough phrase')
  const answer = page.waitForResponse('**/api/user/register')
  await page.locator('main').getByRole('button', { name: 'Create account' }).click()
  const { info: user } = (await (await answer).json()) as { info: { id: string } }
  await expect.poll(() => metaEvent('CompleteRegistration')).toMatchObject({ id: user.id })
})

test('a wallet purchase is sent even if the page navigates before the pixels load', async ({
  page,
  context,
}) => {
  const { events } = await interceptPixels(context, siteUrl)
  await page.goto(await resolvePath(page, '/videos/{video}?episode=4'))
  await accept(page).click()
  const panel = lockedPanel(page, 4)
  await payByWallet(page, panel)
  const approve = page.getByRole('button', { name: 'Approve' })
  await expect(approve).toBeVisible()
  // Simulates a slow phone: the tracking chunk loads last.
  await page.route('**/assets/DeferredParts-*.js', async (route) => {
    await page.waitForURL(/\/videos\//)
    await route.continue()
  })
  await approve.click()
  await page.waitForURL(/\/videos\//)
  const purchases = () => events.filter(({ event }) => /purchase/i.test(event))
  await expect
    .poll(() =>
      purchases()
        .map(({ platform }) => platform)
        .toSorted(),
    )
    .toEqual(platforms.toSorted())
})

test('a registration with a social profile is sent once, although the user is already a member on return', async ({
  page,
  context,
}) => {
  const { events, eventsOf } = await interceptPixels(context, siteUrl)
  const registrations = () =>
    events.filter(({ platform, event }) => platform === 'meta' && event === 'CompleteRegistration')
  await page.goto('/')
  await accept(page).click()
  await expect.poll(() => agreedOnServer(page)).toBe(true)
  const id = await userId(page)
  await page.goto('/login')
  await page.getByRole('link', { name: 'House' }).click()
  await expect.poll(registrations).toMatchObject([{ id }])
  const countPageViews = () =>
    events.filter(({ platform, event }) => platform === 'meta' && event === 'PageView').length
  const before = countPageViews()
  await page.reload()
  await expect.poll(countPageViews).toBe(before + 1)
  // Events are sent in order, so a second registration would be sent before the event of the next page.
  await page
    .getByRole('link', { name: /The Test Tower/ })
    .last()
    .click()
  await expect.poll(() => eventsOf('meta')).toContain('ViewContent')
  expect(registrations()).toHaveLength(1)
})

test('a withdrawal of consent in the footer stops the pixels, and is stored on the server', async ({
  page,
  context,
}) => {
  const { events, requests } = await interceptPixels(context, siteUrl)
  await page.goto('/')
  await accept(page).click()
  await expect.poll(() => events.length).toBe(4)
  await expect.poll(() => agreedOnServer(page)).toBe(true)
  await page.evaluate(() => (document.cookie = '_fbp=left; path=/'))
  await page.getByRole('button', { name: 'Privacy choices' }).click()
  await expect(banner(page)).toContainText('You accepted.')
  // Only a reload can stop running pixels.
  const reloaded = page.waitForEvent('load')
  await decline(page).click()
  await reloaded
  const names = async () => (await context.cookies()).map(({ name }) => name)
  await expect.poll(names).not.toContain('_fbp')
  await expect.poll(() => agreedOnServer(page)).toBe(false)
  // Counts the scripts of the pixels too, because they load before they send events.
  const before = requests.length
  await page.goto('/shopping')
  await expect(page.getByRole('heading', { name: /Watch everything/ })).toBeVisible()
  await page.waitForFunction(() => performance.getEntriesByName('privacy-ready').length > 0)
  expect(requests).toHaveLength(before)
})

test('pages with password fields load no pixels', async ({ page, context }) => {
  const { requests } = await interceptPixels(context, siteUrl)
  await page.goto('/login')
  await accept(page).click()
  await expect.poll(() => agreedOnServer(page)).toBe(true)
  expect(requests).toEqual([])
})

async function agreedOnServer(page: Page): Promise<boolean | null> {
  const answer = await page.request.get('/api/user')
  const { info } = (await answer.json()) as { info: { consent: { marketing: boolean } | null } }
  return info.consent && info.consent.marketing
}

async function userId(page: Page): Promise<string> {
  const answer = await page.request.get('/api/user')
  return ((await answer.json()) as { info: { id: string } }).info.id
}
