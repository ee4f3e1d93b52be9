import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'
import { expectFits, expectReadable } from './page-quality.ts'
import { startSandboxSite, type SandboxSite } from './sandbox-site.ts'
import { declinedAt, sandboxSiteUrl } from './site-url.ts'
import { cardForm, expectMoving, payByCard } from './watching.ts'

test.use({ baseURL: sandboxSiteUrl, storageState: declinedAt(sandboxSiteUrl), bypassCSP: true })

const pays = '4242 4242 4242 4242'
/** It is kept, and has expired by the first renewal. */
const expiresLater = '4000 0000 0000 0341'

let site: SandboxSite
test.beforeAll(async () => {
  test.setTimeout(120_000)
  site = await startSandboxSite()
})
test.afterAll(() => site.close())

const mine = (page: Page) => page.getByRole('region', { name: 'Your subscription' })

async function check(page: Page): Promise<void> {
  await expectFits(page)
  await expectReadable(page)
}

/** Subscribes to the weekly plan as a guest, and goes to the member area. */
async function subscribe(page: Page, number: string): Promise<void> {
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await payByCard(page, { number })
  await expect(mine(page)).toContainText('Weekly renews on')
  await page.goto('/my')
}

/** Waits until the site has done what is due by its clock, as the member area says it. */
async function expectAtLast(page: Page, words: string): Promise<void> {
  await expect(async () => {
    await page.reload()
    await expect(mine(page)).toContainText(words, { timeout: 2_000 })
  }).toPass({ timeout: 45_000 })
}

/** The address of the locked episode. */
async function lockedUrl(page: Page): Promise<string> {
  const answer = await page.request.get('/api/homepage')
  const { info } = (await answer.json()) as { info: { homepage: { items: { id: string }[] }[] } }
  return `/videos/${info.homepage.flatMap(({ items }) => items)[0]?.id ?? ''}?episode=2`
}

/** Pays in the form that is the whole page. */
async function payOnPage(page: Page, button: string): Promise<void> {
  await page.getByLabel('E-mail').fill(`ada-${crypto.randomUUID().slice(0, 8)}@example.com`)
  await page.getByLabel('First name').fill('Ada')
  await page.getByLabel('Last name').fill('Lovelace')
  const card = page.frameLocator('iframe[title="Card"]')
  await card.getByLabel('Card number').fill(pays)
  await card.getByLabel('Expiry').fill('12 / 39')
  await card.getByLabel('CVV').fill('123')
  await page.getByRole('button', { name: button, exact: true }).click()
}

test('a card that has expired at the renewal leaves the plan past due: it plays on, and another card pays at once', async ({
  page,
}) => {
  test.setTimeout(120_000)
  await subscribe(page, expiresLater)
  await site.forward('7d')
  await expectAtLast(page, 'The last payment for Weekly did not go through. Every episode stays open until')
  await check(page)
  await page.goto(await lockedUrl(page))
  await expectMoving(page)
  await page.goto('/my')
  await mine(page).getByRole('link', { name: 'Pay now' }).click()
  await expect(page.getByText('$9.99 every 7 days until you cancel')).toBeVisible()
  await expect(page.getByText(/withdraw/)).toHaveCount(0)
  await check(page)
  await payOnPage(page, 'Pay $9.99')
  // The result leads away by itself.
  await expect(page).not.toHaveURL(/\/order\//)
  await page.goto('/my')
  await expect(mine(page)).toContainText('Weekly renews on')
})

test('a plan is cancelled and resumed in the member area, at most two clicks each', async ({ page }) => {
  await subscribe(page, pays)
  await mine(page).getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(mine(page)).toContainText('Weekly is cancelled: every episode stays open until')
  await check(page)
  await mine(page).getByRole('button', { name: 'Resume subscription' }).click()
  await expect(mine(page)).toContainText('Weekly renews on')
})

test('a change of plan is told in full, asks for no card, and is taken back with one click; kept, it starts with the next period', async ({
  page,
}) => {
  test.setTimeout(120_000)
  await subscribe(page, pays)
  const change = async () => {
    await page.goto('/shopping')
    await page.getByRole('button', { name: 'Choose Monthly' }).click()
    const sheet = page.getByRole('dialog', { name: 'Change to Monthly' })
    await expect(sheet).toContainText(/From .+, \d{4} on: Monthly\. \$24\.99 every 30 days/)
    await expect(sheet).toContainText('Nothing is charged now.')
    await expect(sheet.locator('iframe')).toHaveCount(0)
    await check(page)
    await sheet.getByRole('button', { name: 'Change to Monthly' }).click()
    await expect(sheet).toBeHidden()
    await expect(mine(page)).toContainText(/From .+ on: Monthly\./)
    await expect(page.getByRole('button', { name: 'Chosen next' })).toBeDisabled()
  }
  await change()
  await page.goto('/my')
  await expect(mine(page)).toContainText(
    /Weekly is paid until .+ From .+ on: Monthly\. \$24\.99 every 30 days/,
  )
  await check(page)
  await mine(page).getByRole('button', { name: 'Stay with Weekly' }).click()
  await expect(mine(page)).toContainText('Weekly renews on')
  await expect(mine(page).getByRole('button', { name: 'Stay with Weekly' })).toHaveCount(0)
  await change()
  await page.goto('/my')
  await site.forward('7d')
  await expectAtLast(page, 'Monthly renews on')
})

test('a change of plan that could not be charged is paid by hand at its own price', async ({ page }) => {
  test.setTimeout(120_000)
  await subscribe(page, expiresLater)
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Monthly' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Change to Monthly' }).click()
  await expect(mine(page)).toContainText('on: Monthly.')
  await page.goto('/my')
  await site.forward('7d')
  await expectAtLast(page, 'The last payment for Monthly did not go through')
  await page.goto('/shopping')
  await expect(page.getByRole('button', { name: 'Choose Weekly' })).toBeDisabled()
  await page.getByRole('button', { name: 'Pay now' }).click()
  const { form } = cardForm(page)
  await expect(form.getByRole('button', { name: 'Pay $24.99' })).toBeVisible()
  await payByCard(page, { number: pays })
  await expect(mine(page)).toContainText('Monthly renews on')
})
