import type { Locator, Page } from '@playwright/test'

/** The top-ups on sale, in their sheet. */
export const topUpSheet = (page: Page): Locator => page.getByRole('dialog', { name: 'Top up your balance' })

/** The locked panel's button that pays an episode from the balance. */
export const unlockButton = (panel: Locator): Locator =>
  panel.getByRole('button', { name: 'Unlock for $0.99 from your balance' })

/** What is left in the balance, in cents, as the site has it. */
export async function available(page: Page): Promise<number> {
  const answer = await page.request.get('/api/balance')
  const { info } = (await answer.json()) as { info: { balances: { available_cents: number }[] } }
  return info.balances.reduce((sum, { available_cents }) => sum + available_cents, 0)
}
