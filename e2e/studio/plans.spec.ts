import type { Browser, Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'
import { randomEmail, payByCard } from '#e2e/support/playback-and-payment.ts'

test.use({ bypassCSP: true })

/** Opens the plans as a visitor. */
async function openShop(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ locale: 'en-US' })
  await page.goto('/shopping')
  return page
}

const planIn = (shop: Page, name: string) => shop.getByRole('listitem').filter({ hasText: name })

/** Reloads the plans until the check passes, because they are cached for a second. */
async function expectSold(shop: Page, name: string, check: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await shop.goto('/shopping')
    await expect(shop.getByRole('button', { name: 'Choose Weekly' })).toBeVisible()
    await check()
  }, name).toPass()
}

/** Subscribes as a guest. @returns the e-mail address */
async function subscribe(shop: Page, name: string): Promise<string> {
  await shop.getByRole('button', { name: `Choose ${name}` }).click()
  const email = randomEmail()
  await payByCard(shop, { number: '4242 4242 4242 4242', email })
  await expect(shop.getByRole('region', { name: 'Your subscription' })).toContainText(name)
  return email
}

/** Fills in the form of a new plan, after an attempt with errors. */
async function createPlan(page: Page, name: string): Promise<void> {
  await page.goto('/studio/plans')
  await page.getByRole('link', { name: 'New plan' }).click()
  await page.getByRole('button', { name: 'Create plan' }).click()
  const price = page.getByLabel('Price', { exact: true })
  await expect(price).toBeFocused()
  await expect(page.getByText('Enter a price, such as 9.99.')).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await price.fill('12.99')
  await page.getByLabel('Introductory price').fill('13.99')
  await page.getByLabel('Billing interval (days)').fill('14')
  await page.getByLabel('Order').fill('900')
  const english = page.getByRole('group', { name: 'English' })
  await english.getByLabel('Name').fill(name)
  await english.getByLabel('Description').fill('Every episode, two weeks at a time.')
  await page.getByRole('group', { name: 'Deutsch' }).getByLabel('Name').fill(`${name} (zwei Wochen)`)
  await page.getByRole('button', { name: 'Create plan' }).click()
  await expect(page.getByLabel('Introductory price')).toBeFocused()
  await page.getByLabel('Introductory price').fill('4.99')
  await page.getByRole('button', { name: 'Create plan' }).click()
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()
}

test('an owner creates a plan, changes its price for new customers, and archives it; the paywall updates', async ({
  page,
  browser,
}) => {
  const name = `Fortnight ${crypto.randomUUID().slice(0, 6)}`
  await openStudioWithSession(page, 'owner')
  await createPlan(page, name)
  await expect(page.getByText('No subscribers yet.')).toBeVisible()

  const shop = await openShop(browser)
  await expectSold(shop, name, async () => {
    await expect(planIn(shop, name)).toContainText('$4.99', { timeout: 5_000 })
    await expect(planIn(shop, name)).toContainText('$12.99')
  })
  const subscriber = await subscribe(shop, name)

  await page.reload()
  const members = page.getByRole('table', { name: 'Subscribers' })
  await expect(members.getByRole('row', { name: subscriber })).toContainText('$12.99')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await page.getByLabel('Price', { exact: true }).fill('15.99')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('A new plan has replaced the old one.')).toBeVisible()
  await expect(page.getByText('No subscribers yet.')).toBeVisible()

  const visitor = await openShop(browser)
  await expectSold(visitor, name, () =>
    expect(planIn(visitor, name)).toContainText('$15.99', { timeout: 5_000 }),
  )
  await page.getByRole('link', { name: 'All plans' }).click()
  const activePlan = page.getByRole('table', { name: 'Active plans', exact: true }).getByRole('row', { name })
  await expect(activePlan).toContainText('$15.99')
  const archivedPlans = page.getByRole('table', { name: 'Archived plans' })
  await expect(archivedPlans.getByRole('row', { name })).toContainText('$12.99')
  await archivedPlans.getByRole('link', { name }).click()
  await expect(members.getByRole('row', { name: subscriber })).toContainText('$12.99')
  await shop.goto('/shopping')
  await expect(shop.getByRole('region', { name: 'Your subscription' })).toContainText('$12.99')

  await page.getByRole('link', { name: 'All plans' }).click()
  await activePlan.getByRole('link').click()
  await page.getByRole('button', { name: 'Archive plan' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Archive plan' }).click()
  await expect(page.getByText(/^Archived on \S/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0)
  await expectSold(visitor, name, () => expect(planIn(visitor, name)).toHaveCount(0, { timeout: 5_000 }))
  await shop.close()
  await visitor.close()
})
