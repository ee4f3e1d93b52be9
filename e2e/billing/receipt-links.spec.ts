import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { waitForMail } from '#e2e/support/site-mails.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { emailCookie, deniedEmail } from '#e2e/fakes/social-issuer.ts'
import { cardForm, payByCard } from '#e2e/support/playback-and-payment.ts'

test.use({ bypassCSP: true })

const pays = '4242 4242 4242 4242'
const address = () => `owed-${crypto.randomUUID().slice(0, 8)}@example.com`

/** Subscribes as a guest. */
async function subscribe(page: Page, email: string): Promise<void> {
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await payByCard(page, { number: pays, email })
  await expect(page.getByRole('region', { name: 'Your subscription' })).toBeVisible()
}

/**
 * Signs the browser out, to simulate another device that opens a link. @returns a function that restores the session
 */
async function signOutBrowser(page: Page): Promise<() => Promise<void>> {
  const cookies = await page.context().cookies()
  const clearSession = async () => {
    await page.context().clearCookies()
    // Keeps the answer to the consent banner, because the banner would cover the page.
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (!key.includes('consent')) localStorage.removeItem(key)
    })
  }
  await clearSession()
  return async () => {
    await clearSession()
    await page.context().addCookies(cookies)
  }
}

/** Returns the path of the link with this purpose, such as `claim`, in the text of a mail. */
const linkIn = (text: string, purpose: string): string =>
  new RegExp(`https?://\\S+#${purpose}=[\\w-]+`).exec(text)?.[0].replace(/^https?:\/\/[^/]+/, '') ?? ''

async function check(page: Page): Promise<void> {
  await expectNoOverflow(page)
  await expectAccessible(page)
}

test("the link in a guest's receipt moves the purchase into an account, on another device", async ({
  page,
}) => {
  const email = address()
  await subscribe(page, email)
  const receipt = await waitForMail(email, 'Your receipt: plan “Weekly”')
  await signOutBrowser(page)
  await page.goto(linkIn(receipt.text, 'claim'))
  await expect(page.getByRole('heading', { name: 'Add your purchase to an account' })).toBeVisible()
  await check(page)
  await page.getByRole('button', { name: 'Add to my account' }).click()
  await expect(page.getByText(`You’re signed in as ${email}`)).toBeVisible()
  await check(page)
  await page.getByRole('link', { name: 'Go to My account' }).click()
  await expect(page.getByRole('region', { name: 'Your subscription' })).toContainText('Weekly renews on')
  await page.goto(linkIn(receipt.text, 'claim'))
  await page.getByRole('button', { name: 'Add to my account' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('This link was already used')
})

/**
 * Subscribes with the verified address of an account while signed out, and opens the receipt's link. Ends at the
 * sign-in page.
 */
async function claimWhileSignedOut(page: Page, email: string): Promise<void> {
  await subscribe(page, email)
  const receipt = await waitForMail(email, 'Your receipt: plan “Weekly”')
  await signOutBrowser(page)
  await page.goto(linkIn(receipt.text, 'claim'))
  await page.getByRole('button', { name: 'Add to my account' }).click()
  await expect(page.getByText('The e-mail address on the receipt already has an account')).toBeVisible()
  await check(page)
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/login$/)
}

/**
 * Adds the purchase to the account on the page that follows the sign-in. Checks that this page is not shown again
 * afterwards.
 */
async function expectClaimed(page: Page, email: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Add your purchase to an account' })).toBeVisible()
  await page.getByRole('button', { name: 'Add to my account' }).click()
  await expect(page.getByText(`You’re signed in as ${email}`)).toBeVisible()
  await page.getByRole('link', { name: 'Go to My account' }).click()
  const subscription = page.getByRole('region', { name: 'Your subscription' })
  await expect(subscription).toContainText('Weekly renews on')
  await expect(page.getByRole('region', { name: 'Orders and receipts' })).toContainText('Plan: Weekly')
  await page.goto('/my')
  await expect(subscription).toContainText('Weekly renews on')
}

test('if the address on a receipt belongs to an account, the receipt’s link asks for a sign-in, and can be used afterwards @screens', async ({
  page,
}) => {
  const [email, password] = [address(), 'a quiet lighthouse']
  await page.goto('/register')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Repeat your password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page).toHaveURL(/\/my$/)
  const confirmationMail = await waitForMail(email, 'Confirm')
  await page.goto(linkIn(confirmationMail.text, 'verify'))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText(`Your account now uses ${email}.`)).toBeVisible()
  await signOutBrowser(page)
  await claimWhileSignedOut(page, email)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expectClaimed(page, email)
})

test('a receipt’s link can be used after a social sign-in, even if the first sign-in was denied @screens', async ({
  page,
}) => {
  const email = address()
  const setIssuerEmail = (value: string) =>
    page.context().addCookies([{ name: emailCookie, value, url: siteUrl }])
  await setIssuerEmail(email)
  await page.goto('/login')
  await page.getByRole('link', { name: 'House' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/individual')
  await expect(page.getByRole('list', { name: 'Linked accounts' }).getByText(email)).toBeVisible()
  await signOutBrowser(page)
  await claimWhileSignedOut(page, email)
  await setIssuerEmail(deniedEmail)
  await page.getByRole('link', { name: 'House' }).click()
  await expect(page).toHaveURL(/social=cancelled/)
  expect(page.url()).not.toContain('claim')
  await setIssuerEmail(email)
  await page.getByRole('link', { name: 'House' }).click()
  await expectClaimed(page, email)
})

test('the link of a receipt cancels a plan without a sign-in, and the member area resumes the plan @screens', async ({
  page,
}) => {
  const email = address()
  await subscribe(page, email)
  const receipt = await waitForMail(email, 'Your receipt')
  const restoreSession = await signOutBrowser(page)
  await page.goto(linkIn(receipt.text, 'cancel'))
  await expect(page.getByRole('heading', { name: 'Cancel your plan' })).toBeVisible()
  await check(page)
  await page.getByRole('button', { name: 'Cancel plan' }).click()
  await expect(page.getByRole('heading', { name: 'Your plan is cancelled' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('status')).toContainText(
    /You can watch with Weekly until .+, \d{4}\./,
  )
  await restoreSession()
  await waitForMail(email, 'Your plan is cancelled')
  await page.goto('/my')
  const subscription = page.getByRole('region', { name: 'Your subscription' })
  await expect(subscription).toContainText('won’t be charged again')
  await subscription.getByRole('button', { name: 'Resume subscription' }).click()
  await expect(subscription).toContainText('Weekly renews on')
})

test('the footer leads to cancellation and withdrawal without a sign-in, and a mailed link confirms the withdrawal', async ({
  page,
}) => {
  const email = address()
  await subscribe(page, email)
  const restoreSession = await signOutBrowser(page)
  await page.goto('/')
  const footer = page.getByRole('contentinfo')
  await footer.getByRole('link', { name: 'Cancel contract' }).click()
  await expect(page.getByRole('heading', { name: 'Cancel a subscription' })).toBeVisible()
  await check(page)
  await footer.getByRole('link', { name: 'Cancel an order (14 days)' }).click()
  await expect(page.getByRole('heading', { name: 'Cancel an order (14 days)' })).toBeVisible()
  await check(page)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send link' }).click()
  await expect(page.getByText(`If something was bought with ${email}`)).toBeVisible()
  const mail = await waitForMail(email, 'Cancel your order (14-day right of withdrawal)')
  await page.goto(linkIn(mail.text, 'withdraw'))
  await check(page)
  await page.getByRole('button', { name: 'Confirm withdrawal' }).click()
  await expect(page.getByRole('heading', { name: 'Your order is cancelled' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('status')).toContainText('refunding $4.99')
  await restoreSession()
  await waitForMail(email, 'Your order is cancelled')
  await page.goto('/my')
  await expect(page.getByText('Free plan')).toBeVisible()
})

test('a buyer requests immediate delivery in the card form, and the receipt confirms it', async ({
  page,
}) => {
  const email = address()
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  const { form } = cardForm(page)
  const startNow = form.getByRole('checkbox', { name: 'Start now.' })
  await expect(startNow).not.toBeChecked()
  const withdrawalNotice = form.getByText('You can cancel within 14 days')
  await expect(withdrawalNotice.last()).toBeVisible()
  await startNow.check()
  await expect(withdrawalNotice).toHaveCount(0)
  await payByCard(page, { number: pays, email })
  await expect(page.getByRole('region', { name: 'Your subscription' })).toBeVisible()
  const { text } = await waitForMail(email, 'Your receipt')
  expect(text).toContain('lose your 14-day right of withdrawal')
  expect(linkIn(text, 'withdraw')).toBe('')
})
