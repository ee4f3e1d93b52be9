import type { Page } from '@playwright/test'
import { readAvailableBalance, topUpAtPaywall, unlockButton } from '#e2e/support/balances.ts'
import { expect, test, defaultSite } from '#e2e/support/fixtures.ts'
import { keepToasts } from '#e2e/support/keep-toasts.ts'
import { expectNoOverflow, expectAccessible, narrowPhone } from '#e2e/support/page-quality.ts'
import { desktop, phone } from '#e2e/playwright.config.ts'
import {
  expectPlaying,
  lockedPanel,
  repeatEpisode,
  skipToEnd,
  slowDownCountdowns,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

test.use({ site: { ...defaultSite, withFakeServices: false, settings: { PREPAID_BALANCE: 'on' } } })

const promptTitle = 'Unlock the next episodes automatically?'
const autoPrompt = (page: Page) => page.getByRole('region', { name: promptTitle })
const terms = (page: Page) => page.getByRole('dialog', { name: promptTitle })

const showTerms = (page: Page) => autoPrompt(page).getByRole('button', { name: 'Set up' }).click()
const consent = (page: Page) => terms(page).getByRole('checkbox', { name: /lose my 14-day right/ })

/** Opens the terms of the offer, and accepts them. */
async function turnOnAutoUnlock(page: Page): Promise<void> {
  await showTerms(page)
  await acceptTerms(page)
}

async function acceptTerms(page: Page): Promise<void> {
  await consent(page).check()
  await terms(page).getByRole('button', { name: 'Turn on auto-unlock' }).click()
  await expect(terms(page)).toHaveCount(0)
}

/** Plays the episode to its end while the terms are open. */
async function endUnderTerms(page: Page): Promise<void> {
  await expect(consent(page)).toBeVisible()
  await repeatEpisode(page, false)
  await skipToEnd(page)
  const hasEnded = () =>
    page.locator('video').evaluateAll((videos: HTMLVideoElement[]) => videos.some(({ ended }) => ended))
  await expect.poll(hasEnded).toBe(true)
}

/** Waits until the fifth episode plays after a purchase, and checks that auto-unlock is not offered. */
async function expectNotOffered(page: Page): Promise<void> {
  await expectPlaying(page, 5)
  // An offer would appear after the episode begins to play, and would stay. So first waits for the next paywall.
  await page.keyboard.press('n')
  await expect(unlockButton(lockedPanel(page, 6))).toBeVisible()
  await expect(autoPrompt(page)).toHaveCount(0)
}

/** Tops up, unlocks an episode and turns auto-unlock on. */
async function setUpAutoUnlock(page: Page): Promise<void> {
  await unlockButton(await topUpAtPaywall(page, 4)).click()
  await expectPlaying(page, 4)
  await turnOnAutoUnlock(page)
}

const unlockedLine = (page: Page, number: number) =>
  page.getByRole('status').filter({ hasText: `Episode ${number} was unlocked for $0.99.` })

test('an episode unlocks automatically after a notice with the price, and one press undoes the unlock', async ({
  page,
}) => {
  const panel = await topUpAtPaywall(page, 4)
  await unlockButton(panel).click()
  await expectPlaying(page, 4)
  await showTerms(page)
  await expect(terms(page)).toContainText('$0.99 from your balance')
  await terms(page).getByLabel('Daily limit').selectOption('5')
  await acceptTerms(page)
  await page.goto(await towerUrl(page, 5))
  await expect(page.getByRole('heading', { name: 'Episode 5 unlocks for $0.99' })).toBeVisible()
  await expectPlaying(page, 5)
  expect(await readAvailableBalance(page)).toBe(302)
  const line = page.getByRole('status').filter({ hasText: 'Episode 5 was unlocked for $0.99.' })
  await line.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone. $0.99 is back in your balance')).toBeVisible()
  await expect(unlockButton(lockedPanel(page, 5))).toBeVisible()
  expect(await readAvailableBalance(page)).toBe(401)
})

test('if an episode ends while the terms are open, the next episode plays after the consent @screens', async ({
  page,
}) => {
  await unlockButton(await topUpAtPaywall(page, 4)).click()
  await expectPlaying(page, 4)
  await repeatEpisode(page)
  await showTerms(page)
  await endUnderTerms(page)
  await acceptTerms(page)
  await expectPlaying(page, 5)
})

test('closing the sheet with the terms does not decline auto-unlock; "Not now" does @screens', async ({
  page,
}) => {
  await unlockButton(await topUpAtPaywall(page, 4)).click()
  await expectPlaying(page, 4)
  await repeatEpisode(page)
  const setUp = autoPrompt(page).getByRole('button', { name: 'Set up' })
  await setUp.focus()
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 5),
    () => terms(page).getByRole('button', { name: 'Close' }).click(),
  ]) {
    await page.keyboard.press('Enter')
    await expect(consent(page)).toBeVisible()
    await close()
    // A closed sheet is removed with the next frame. Until then, a press cannot open it again.
    await expect(page.locator('dialog')).toHaveCount(0)
    await expect(setUp).toBeFocused()
  }
  await page.keyboard.press('Enter')
  await endUnderTerms(page)
  await terms(page).getByRole('button', { name: 'Not now' }).click()
  await unlockButton(lockedPanel(page, 5)).click()
  await expectNotOffered(page)
})

test('an automatic unlock can be stopped before it happens, and auto-unlock can be turned off in the member area @screens', async ({
  page,
}) => {
  const panel = await topUpAtPaywall(page, 4)
  await unlockButton(panel).click()
  await turnOnAutoUnlock(page)
  await slowDownCountdowns(page)
  await page.goto(await towerUrl(page, 5))
  await page.getByRole('button', { name: 'Don’t unlock' }).click()
  await expect(unlockButton(lockedPanel(page, 5))).toBeVisible()
  expect(await readAvailableBalance(page)).toBe(401)
  await page.goto('/my')
  const balance = page.getByRole('region', { name: 'Balance', exact: true })
  await expect(balance).toContainText('Up to $0.99 an episode, at most 10 a day.')
  await balance.getByRole('button', { name: 'Turn off auto-unlock: The Test Tower' }).click()
  await expect(page.getByText('Auto-unlock is off for this drama.')).toBeVisible()
  await page.goto(await towerUrl(page, 5))
  await expect(unlockButton(lockedPanel(page, 5))).toBeVisible()
})

test('a viewer who declines auto-unlock is not asked again for the drama @screens', async ({ page }) => {
  const panel = await topUpAtPaywall(page, 4)
  await unlockButton(panel).click()
  await autoPrompt(page).getByRole('button', { name: 'Not now' }).click()
  await page.goto(await towerUrl(page, 5))
  await unlockButton(lockedPanel(page, 5)).click()
  await expectNotOffered(page)
})

test('auto-unlock stays off until the viewer consents to losing the right of withdrawal and presses "Turn on auto-unlock" @screens', async ({
  page,
}) => {
  const requests: unknown[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/balance/auto-unlock')) requests.push(request.postDataJSON())
  })
  await unlockButton(await topUpAtPaywall(page, 4)).click()
  await expectPlaying(page, 4)
  await showTerms(page)
  await expect(consent(page)).not.toBeChecked()
  await terms(page).getByRole('button', { name: 'Turn on auto-unlock' }).click()
  await expect(terms(page).getByText('Tick this box to turn on auto-unlock.')).toBeVisible()
  expect(requests).toEqual([])
  await page.goto(await towerUrl(page, 5))
  await expect(unlockButton(lockedPanel(page, 5))).toBeVisible()
  await unlockButton(lockedPanel(page, 5)).click()
  await turnOnAutoUnlock(page)
  expect(requests).toMatchObject([{ immediate_delivery: true, amount_cents: 99, daily_limit: 10 }])
  const { terms_text: termsText } = Object(requests[0])
  for (const words of ['$0.99', '[x]', 'lose my 14-day right', 'Once a day, you can undo an unlock'])
    expect(termsText).toContain(words)
})

test('within a day of an undo, the notice of the next unlock offers "Turn off" instead of "Undo" @screens', async ({
  page,
}) => {
  await setUpAutoUnlock(page)
  await page.goto(await towerUrl(page, 5))
  await unlockedLine(page, 5).getByRole('button', { name: 'Undo' }).click()
  await unlockButton(lockedPanel(page, 5)).click()
  await expectPlaying(page, 5)
  await turnOnAutoUnlock(page)
  // Without an undo, the notice is shown for only ten seconds.
  await keepToasts(page)
  await page.goto(await towerUrl(page, 6))
  const line = unlockedLine(page, 6)
  await expect(line).toBeVisible()
  await expect(line.getByRole('button', { name: 'Undo' })).toHaveCount(0)
  await line.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('Auto-unlock is off for this drama.')).toBeVisible()
  await expectPlaying(page, 6)
  expect(await readAvailableBalance(page)).toBe(500 - 3 * 99)
})

test('if the daily undo was already used in another tab, the undo is refused with the reason @screens', async ({
  page,
}) => {
  await setUpAutoUnlock(page)
  await page.goto(await towerUrl(page, 5))
  const message = 'You can undo one automatic unlock per drama within 24 hours.'
  await page.route('**/api/balance/undo', (route) => route.fulfill({ json: { code: 409, message } }))
  await unlockedLine(page, 5).getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText(message)).toBeVisible()
  await expect(unlockedLine(page, 5)).toHaveCount(0)
  await expectPlaying(page, 5)
})

test.describe('an automatic unlock whose responses get lost', () => {
  test.use({ allowedConsoleMessages: /net::ERR_FAILED/ })

  test('is announced when the episode plays, and can be undone @screens', async ({ page }) => {
    await setUpAutoUnlock(page)
    const keys: (string | undefined)[] = []
    await page.route('**/api/balance/unlock', async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 2) return route.fallback()
      await route.fetch()
      await route.abort()
    })
    await page.goto(await towerUrl(page, 5))
    await expect(page.getByText('We’re checking the payment')).toBeVisible()
    await expectPlaying(page, 5)
    await expect(unlockedLine(page, 5).getByRole('button', { name: 'Undo' })).toBeVisible()
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(await readAvailableBalance(page)).toBe(302)
  })
})

test.describe('the sheet with the terms of auto-unlock', () => {
  // axe is injected into the page as a script.
  test.use({ bypassCSP: true })

  test('is readable and fits in English and German @screens', async ({ page }) => {
    for (const [language, number] of [
      ['en', 4],
      ['dy', 5],
    ] as const) {
      if (number === 4) await topUpAtPaywall(page, 4)
      await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
      await page.goto(await towerUrl(page, number))
      await page.getByRole('button', { name: /^Mit Guthaben freischalten|from your balance$/ }).click()
      await page.getByRole('button', { name: /^Einrichten|Set up$/ }).click()
      const box = page.getByRole('dialog').getByRole('checkbox')
      await expect(box).toBeVisible()
      for (const viewport of [phone.viewport, desktop.viewport, narrowPhone, { width: 844, height: 390 }]) {
        await page.setViewportSize(viewport)
        await expect(box).toBeInViewport({ ratio: 1 })
        await expectAccessible(page)
        await expectNoOverflow(page)
      }
      await page.setViewportSize(phone.viewport)
    }
  })
})
