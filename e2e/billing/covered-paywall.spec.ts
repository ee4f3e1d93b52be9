import type { Locator, Page } from '@playwright/test'
import { languages } from '#contract/languages.ts'
import { phone } from '#e2e/playwright.config.ts'
import { topUpAtPaywall, unlockButton } from '#e2e/support/balances.ts'
import { defaultSite, expect, test } from '#e2e/support/fixtures.ts'
import { keepToasts } from '#e2e/support/keep-toasts.ts'
import { narrowPhone, overlap, readStable } from '#e2e/support/page-quality.ts'
import { expectPlaying, lockedPanel, towerUrl } from '#e2e/support/playback-and-payment.ts'

const landscape = { width: 844, height: 390 }
const desktopAt200Percent = { width: 720, height: 450 }
const phoneAt200Percent = { width: 195, height: 422 }
const sizes = [phone.viewport, narrowPhone, landscape, desktopAt200Percent]

const payButton = (page: Page) => lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' })

test('scrolled offers never appear behind the buttons at the top @screens', async ({ page }) => {
  await page.goto(await towerUrl(page, 4))
  await expect(payButton(page)).toBeVisible()
  const buttons = [
    page.getByRole('main').getByRole('link', { name: /^(Home|Back)$/ }),
    page.getByRole('button', { name: 'Episodes' }),
  ]
  for (const viewport of [...sizes, phoneAt200Percent]) {
    await page.setViewportSize(viewport)
    for (const button of buttons) {
      await readStable(() => button.boundingBox())
      expect(await scrollBehind(lockedPanel(page, 4), button), `${viewport.width}: ${button}`).toEqual([])
    }
  }
})

test('a toast covers neither the heading nor the buttons of the paywall @screens', async ({ page }) => {
  await keepToasts(page)
  const message = 'Die Website ist nicht erreichbar. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.'
  await page.route('**/api/user/favorite', (route) => route.fulfill({ json: { code: 500, message } }))
  await page.goto(await towerUrl(page, 3))
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  const toast = page.getByText(message)
  await expect(toast).toBeVisible()
  await page.getByRole('button', { name: 'Episodes' }).click()
  await page
    .getByRole('list', { name: 'Episodes' })
    .getByRole('button', { name: /^Episode 4\b/ })
    .click()
  await expectNotCovered(page, toast)
})

test.describe('with a balance', () => {
  test.use({ site: { ...defaultSite, withFakeServices: false, settings: { PREPAID_BALANCE: 'on' } } })

  test('the two buttons below the pay button are in one row on a phone, in every language @screens', async ({
    page,
  }) => {
    const address = await towerUrl(page, 4)
    for (const language of languages)
      for (const { width, height } of [phone.viewport, narrowPhone]) {
        await page.setViewportSize({ width, height })
        await page.goto(`${address}&lang=${language}`)
        // The texts depend on the language.
        const others = page.locator('main [data-layout] button[aria-expanded]')
        const buttons = others.or(others.locator('+ button'))
        await expect(buttons).toHaveCount(2)
        const tops = await buttons.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top))
        expect.soft(tops[1], `${language} at ${width} px`).toBe(tops[0])
      }
  })

  test('the offer of auto-unlock covers neither the heading nor the buttons of the next paywall @screens', async ({
    page,
  }) => {
    await unlockButton(await topUpAtPaywall(page, 4)).click()
    await expectPlaying(page, 4)
    const offer = page.getByRole('region', { name: 'Unlock the next episodes automatically?' })
    await expect(offer).toBeVisible()
    await page.keyboard.press('n')
    await expect(unlockButton(lockedPanel(page, 5))).toBeVisible()
    await expectNotCovered(page, offer, 5)
    await page.setViewportSize({ width: 1100, height: 800 })
    const panel = page.getByRole('complementary', { name: 'About' })
    await expect(panel).toBeVisible()
    await expect.poll(() => overlap(offer, panel)).toBe(false)
  })

  test('the paywall does not move when a toast disappears, and the next paywall reserves no space for a toast @screens', async ({
    page,
  }) => {
    // Long enough that a busy machine can measure the paywall in time.
    await keepToasts(page, 20_000)
    await topUpAtPaywall(page, 4)
    const toast = page.getByText('$5.00 was added to your balance.')
    await expect(toast).toBeVisible()
    const headingPosition = async (episode: number) =>
      (await lockedPanel(page, episode).getByRole('heading').boundingBox())?.y ?? NaN
    const before = await readStable(() => headingPosition(4))
    await expect(toast).toBeHidden()
    expect(await readStable(() => headingPosition(4))).toBe(before)
    await page.keyboard.press('n')
    await expect.poll(() => headingPosition(5)).toBeLessThan(before)
  })
})

test.describe('without a connection', () => {
  // A style sheet may still be loading when the connection is lost.
  test.use({ allowedConsoleMessages: /ERR_INTERNET_DISCONNECTED|Unable to preload CSS/ })

  test('the offline banner covers neither the heading nor the buttons of the paywall @screens', async ({
    page,
  }) => {
    await page.goto(await towerUrl(page, 4))
    await expect(payButton(page)).toBeVisible()
    // The status line loads after the page, so the connection must last until then.
    await expect(page.locator('div[role=status]:empty').first()).toBeAttached()
    await page.context().setOffline(true)
    const banner = page.getByText('You’re offline')
    await expect(banner).toBeVisible()
    await expectNotCovered(page, banner)
  })
})

/** Expects in several sizes that a notice covers neither the heading nor the buttons of the paywall. */
async function expectNotCovered(page: Page, notice: Locator, episode = 4): Promise<void> {
  const panel = lockedPanel(page, episode)
  await expect(panel.getByRole('button').first()).toBeVisible()
  for (const viewport of sizes) {
    await page.setViewportSize(viewport)
    await readStable(() => notice.boundingBox())
    for (const element of [panel.getByRole('heading'), ...(await panel.getByRole('button').all())])
      await expect.poll(() => overlap(notice, element), `${viewport.width}: ${element}`).toBe(false)
  }
}

/**
 * Scrolls `panel` from its beginning to its end. @returns the texts that were behind `button` while the panel scrolled
 */
async function scrollBehind(panel: Locator, button: Locator): Promise<string[]> {
  const box = await button.boundingBox()
  if (!box) throw new Error(`${String(button)} is not visible`)
  return panel.evaluate((section, { x, y, width, height }) => {
    const isScroller = (element: Element) => getComputedStyle(element).overflowY === 'auto'
    const scroller = [section, ...section.querySelectorAll('*')].find(isScroller) ?? section
    const shares = [0.1, 0.5, 0.9]
    const points = shares.flatMap((right) =>
      shares.map((down) => [x + width * right, y + height * down] as const),
    )
    const words = new Set<string>()
    for (let top = 0; top <= scroller.scrollHeight - scroller.clientHeight; top += 10) {
      scroller.scrollTop = top
      for (const [left, down] of points)
        for (const element of document.elementsFromPoint(left, down))
          if (section.contains(element) && element.matches('h2, p, a, label')) words.add(element.textContent)
    }
    scroller.scrollTop = 0
    return [...words]
  }, box)
}
