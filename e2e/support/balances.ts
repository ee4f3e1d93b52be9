import type { Locator, Page } from '@playwright/test'
import { expect } from './fixtures.ts'
import { lockedPanel, payByCard, towerUrl } from './playback-and-payment.ts'

const card = { number: '4242 4242 4242 4242' }

/** Returns the sheet with the top-ups on sale. */
export const topUpSheet = (page: Page): Locator => page.getByRole('dialog', { name: 'Top up your balance' })

/** Returns the paywall's button that pays for an episode from the balance. */
export const unlockButton = (panel: Locator): Locator =>
  panel.getByRole('button', { name: 'Unlock for $0.99 from your balance' })

/** Returns the available balance in cents, from the API. */
export async function readAvailableBalance(page: Page): Promise<number> {
  const answer = await page.request.get('/api/balance')
  const { info } = (await answer.json()) as { info: { balances: { available_cents: number }[] } }
  return info.balances.reduce((sum, { available_cents }) => sum + available_cents, 0)
}

/** Chooses a top-up in the open sheet and pays for it. */
export async function payTopUp(page: Page, name: string, price: string): Promise<void> {
  const sheet = topUpSheet(page)
  await sheet.getByText(name, { exact: true }).click()
  await sheet.getByRole('button', { name: `Pay ${price}`, exact: true }).click()
  await payByCard(page, card)
  await expect(sheet).toHaveCount(0)
}

/** Buys a top-up at a locked episode. @returns the paywall, which then offers to pay from the balance */
export async function topUpAtPaywall(
  page: Page,
  episode: number,
  name = '$5.00',
  price = '$5.00',
): Promise<Locator> {
  await page.goto(await towerUrl(page, episode))
  const panel = lockedPanel(page, episode)
  await panel.getByRole('button', { name: 'Top up your balance' }).click()
  await payTopUp(page, name, price)
  await expect(unlockButton(panel)).toBeVisible()
  return panel
}
