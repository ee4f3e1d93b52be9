import { expect, test } from '#e2e/support/fixtures.ts'
import { expectAccessible, expectNoLayoutShift, recordLayoutShifts } from '#e2e/support/page-quality.ts'
import { bankFrame, expectPlaying, lockedPanel, payByCard } from '#e2e/support/playback-and-payment.ts'

const facebook =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/470.0.0.53.83;]'

// axe is injected into the page as a script.
test.use({ userAgent: facebook, bypassCSP: true, permissions: ['clipboard-read', 'clipboard-write'] })

test('in an in-app browser, the plans page shows a hint that can be closed; its link opens the page in the default browser and keeps the referrer token', async ({
  page,
}) => {
  await recordLayoutShifts(page)
  await page.goto('/shopping?token=ann')
  const hint = page.getByRole('complementary', { name: 'Open in your browser' })
  await expect(hint).toContainText('the Facebook browser')
  await expect(page.getByRole('button', { name: 'Choose Weekly' })).toBeVisible()
  await expect(hint.getByRole('link', { name: 'Open in your browser' })).toHaveAttribute(
    'href',
    /^intent:\/\/localhost:\d+\/shopping\?token=ann#Intent;scheme=http;/,
  )
  await hint.getByRole('button', { name: 'Copy link' }).click()
  await expect(page.getByText('Copy Success')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/shopping\?token=ann$/)
  await expectAccessible(page)
  await expectNoLayoutShift(page)
  await hint.getByRole('button', { name: 'Close' }).click()
  await expect(hint).toBeHidden()
  await page.reload()
  await expect(page.getByRole('button', { name: 'Choose Weekly' })).toBeVisible()
  await expect(hint).toBeHidden()
})

test('in an in-app browser, an episode is paid without a separate window', async ({ page, context }) => {
  await context.addInitScript(() => {
    window.open = () => {
      throw new Error('the page opened a pop-up')
    }
  })
  await page.goto('/searchDetail/tower')
  await page.getByRole('link', { name: /The Test Tower/ }).click()
  await page.waitForURL(/\/videos\//)
  await page.goto(`${page.url().split('?')[0]}?episode=4`)
  const panel = lockedPanel(page, 4)
  await expect(panel.getByRole('complementary', { name: 'Open in your browser' })).toBeVisible()
  await panel.getByRole('button', { name: 'Pay $0.99' }).click()
  // The bank requires 3-D Secure for this card.
  await payByCard(page, { number: '4000 0000 0000 3220' })
  await bankFrame(page).getByRole('button', { name: 'Confirm' }).click()
  await expectPlaying(page, 4)
  expect(context.pages()).toHaveLength(1)
})

test.describe('in the default browser', () => {
  test.use({ userAgent: undefined })

  test('the link to the default browser is not shown', async ({ page }) => {
    await page.goto('/shopping')
    await expect(page.getByRole('button', { name: 'Choose Weekly' })).toBeVisible()
    await expect(page.getByRole('complementary', { name: 'Open in your browser' })).toBeHidden()
  })
})
