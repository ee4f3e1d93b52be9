import type { Browser, Page } from '@playwright/test'
import { TOTP } from 'otpauth'
import { expect, test } from '#e2e/support/fixtures.ts'
import { payByCard } from '#e2e/support/playback-and-payment.ts'

const password = 'a quiet lighthouse'

/**
 * Returns the code that an authenticator app shows `halfMinutes` half minutes from now. Each code is valid once, so the
 * next sign-in needs a later code.
 */
const codeOf = (secret: string, halfMinutes = 0) =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + halfMinutes * 30_000 })

test('a member registers, sets a name and a second factor, ends another session, and deletes the account', async ({
  page,
  browser,
}) => {
  const email = `ada-${Date.now()}@example.com`
  await register(page, email)
  await expect(page.getByText('Free plan')).toBeVisible()
  await expect(page.getByText('You haven’t bought anything yet.')).toBeVisible()

  await page.getByRole('link', { name: 'Profile and settings' }).click()
  await page.getByLabel('Name').fill('Ada')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.locator('#main').getByText('Ada', { exact: true })).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Name')).toHaveValue('Ada')

  await page.getByRole('button', { name: 'Set up Two-step sign-in' }).click()
  await page.getByLabel('Current password').fill('not my password')
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByLabel('Current password')).toBeFocused()
  await expect(page.getByLabel('Current password')).toHaveValue('not my password')
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await expect(page.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
  await page.getByLabel('Code from your authenticator app').fill(codeOf(secret))
  await page.getByRole('button', { name: 'Turn on' }).click()
  await expect(page.getByRole('heading', { name: 'Your recovery codes' })).toBeFocused()
  const recovery = await page.locator('li code').allInnerTexts()
  expect(recovery).toHaveLength(10)
  await page.getByRole('button', { name: 'I’ve saved these codes' }).click()
  await expect(page.getByText('On. We ask for a code')).toBeVisible()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText('You’re not signed in.')).toBeVisible()
  await signIn(page, email, codeOf(secret, 1))

  const otherPage = await (await browser.newContext()).newPage()
  await signIn(otherPage, email, recovery[0] ?? '')
  await page.reload()
  const devices = page.getByRole('region', { name: 'Signed-in devices' })
  await expect(devices.getByRole('listitem')).toHaveCount(2)
  await expect(devices.getByText('This device')).toHaveCount(1)
  await devices.getByRole('button', { name: /^Sign out: / }).click()
  await expect(devices.getByRole('listitem')).toHaveCount(1)
  await otherPage.reload()
  await expect(otherPage.getByText('You’re not signed in on this device.')).toBeVisible()
  await otherPage.context().close()

  await page.goto('/individual')
  await page.getByRole('button', { name: 'Delete… Delete your account' }).click()
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByText('Tick this box to continue.')).toBeVisible()
  await page.getByLabel('I understand').check()
  await page.getByRole('button', { name: 'Delete permanently' }).click()
  await expect(page.getByRole('heading', { name: 'Everything was deleted' })).toBeVisible()
  await page.goto('/individual')
  await expect(page.getByText('You’re not signed in.')).toBeVisible()
})

test('a guest subscribes, reads the receipt, and cancels and resumes in the member area with one click each', async ({
  page,
}) => {
  await page.goto('/shopping')
  await page.getByRole('button', { name: 'Choose Weekly' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expect(page.getByRole('region', { name: 'Your subscription' })).toBeVisible()
  await page.goto('/my')
  const subscription = page.getByRole('region', { name: 'Your subscription' })
  await expect(subscription).toContainText(
    /Weekly renews on .+, \d{4}\. \$9\.99 every 7 days until you cancel/,
  )
  await subscription.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect(subscription).toContainText('won’t be charged again')
  await subscription.getByRole('button', { name: 'Resume subscription' }).click()
  await expect(subscription).toContainText('Weekly renews on')

  await page.getByRole('link', { name: 'Receipt: Plan: Weekly' }).click()
  const receipt = page.getByRole('article', { name: 'Receipt' })
  await expect(receipt.getByRole('row', { name: 'Total (tax included) $4.99' })).toBeVisible()
  await page.emulateMedia({ media: 'print' })
  await expect(page.getByRole('button', { name: 'Print' })).toBeHidden()
  await expect(page.getByRole('contentinfo')).toBeHidden()
  await expect(page.getByRole('banner')).toBeHidden()
  await expect(receipt).toBeVisible()
  await page.emulateMedia({ media: 'screen' })
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'My account' })).toBeVisible()
})

test('the settings keep input after a failed request and in a collapsed form, and export the data @screens', async ({
  page,
}) => {
  await page.goto('/individual')
  await page.route('**/api/user', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ json: { code: 500, message: 'Not now.' } })
      : route.fallback(),
  )
  await page.getByLabel('Name').fill('Grace')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('alert')).toHaveText('Not now.')
  await expect(page.getByLabel('Name')).toHaveValue('Grace')
  const toggle = page.getByRole('button', { name: 'Delete your data on this device' })
  await toggle.click()
  await page.getByLabel('I understand').check()
  await toggle.click()
  await expect(page.getByLabel('I understand')).toBeHidden()
  await toggle.click()
  await expect(page.getByLabel('I understand')).toBeChecked() // stays

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe('my-data.json')
})

test('after the session was ended elsewhere, sign-in returns to the same page, which still has the input @screens', async ({
  page,
  browser,
}) => {
  const email = `ruth-${Date.now()}@example.com`
  await register(page, email)
  await page.goto('/individual')
  await page.getByRole('button', { name: 'Change E-mail' }).click()
  await page.getByLabel('New e-mail address').fill('ruth@example.net')
  await page.getByLabel('Current password').fill(password)

  await endOtherSessions(browser, email)

  await page.getByRole('button', { name: 'Send link', exact: true }).click()
  await expect(page.getByRole('alert')).toHaveText('Please reload the page or sign in first.')
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await expect(page).toHaveURL(/\/login$/)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(/\/individual$/)
  await expect(page.getByLabel('New e-mail address')).toHaveValue('ruth@example.net')
  await expect(page.getByLabel('Current password')).toHaveValue('')
  await page.getByLabel('Current password').fill(password)
  await page.getByRole('button', { name: 'Send link', exact: true }).click()
  await expect(page.getByText('ruth@example.net')).toBeVisible()
  expect(await page.evaluate(() => sessionStorage.getItem('draft'))).toBeNull()
})

test('after the session was ended elsewhere, the library offers sign-in, which returns to the same list @screens', async ({
  page,
  browser,
}) => {
  const email = `lena-${Date.now()}@example.com`
  await register(page, email)
  await endOtherSessions(browser, email)
  for (const name of ['Watch history', 'Unlocked', 'Favorites']) {
    await page.getByRole('main').getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
    await expect(page.getByRole('alert')).toContainText('Please reload the page or sign in first.')
    if (name !== 'Favorites') await page.goBack()
  }
  await page.getByRole('button', { name: 'Sign in again' }).click()
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(/\/favorites$/)
  await expect(page.getByRole('link', { name: 'Browse dramas' })).toBeVisible()
})

test('a member links a social profile, reauthenticates when required, and unlinks it @screens', async ({
  page,
}) => {
  await register(page, `grace-${Date.now()}@example.com`)
  await page.goto('/individual')
  const setting = page.getByRole('region', { name: 'Sign-in and security' })
  await expect(setting.getByText('No linked accounts yet.')).toBeVisible()
  await setting.getByRole('link', { name: 'Link House' }).click()
  await expect(setting.getByText('House is linked. You can sign in with it now.')).toBeVisible()
  const linked = page.getByRole('list', { name: 'Linked accounts' })
  await expect(linked.getByRole('listitem')).toHaveCount(1)

  // If the last sign-in was too long ago, the site redirects the member to this URL.
  await page.goto('/individual?social=reauthenticate&provider=oidc&return_to=/my')
  await setting.getByLabel('Current password').fill(password)
  await setting.getByRole('button', { name: 'Link House', exact: true }).click()
  await expect(page).toHaveURL(/\/my$/)
  await expect(linked.getByRole('listitem')).toHaveCount(2)

  // The issuer returns a new profile on each visit; both are listed with their names.
  await expect(linked.getByText('Grace', { exact: true })).toHaveCount(2)

  const unlink = linked.getByRole('button', { name: 'Unlink House (Grace)' })
  await unlink.first().click()
  await linked.getByLabel('Current password').fill('not my password')
  await linked.getByRole('button', { name: 'Unlink', exact: true }).click()
  await expect(linked.getByLabel('Current password')).toBeFocused()
  await linked.getByLabel('Current password').fill(password)
  await linked.getByRole('button', { name: 'Unlink', exact: true }).click()
  await expect(linked.getByRole('listitem')).toHaveCount(1)
  await expect(linked).toBeFocused()
  await page.reload()
  await expect(linked.getByRole('listitem')).toHaveCount(1)
})

test('a member cannot unlink a social profile that is the only way to sign in @screens', async ({ page }) => {
  await page.goto('/login')
  await page.getByRole('link', { name: 'House' }).click()
  await expect(page).toHaveURL('/')
  await page.goto('/my')
  const linked = page.getByRole('list', { name: 'Linked accounts' })
  await linked.getByRole('button', { name: 'Unlink House' }).click()
  await linked.getByRole('button', { name: 'Unlink' }).click()
  await expect(linked.getByRole('alert')).toContainText('This is your only way to sign in.')
  await linked.getByRole('button', { name: 'Sign in again' }).click()
  // The member area also has a link for the provider, and stays on screen until the sign-out has ended.
  await expect(page).toHaveURL(/\/login$/)
  await page.getByRole('link', { name: 'House' }).click()
  await expect(page).toHaveURL(/\/my$/)
  await expect(linked.getByRole('listitem')).toHaveCount(1)
})

/** Ends the member's other sessions from another browser. */
async function endOtherSessions(browser: Browser, email: string): Promise<void> {
  const page = await (await browser.newContext()).newPage()
  await signIn(page, email)
  const signOut = page.getByRole('button', { name: /^Sign out: / })
  await signOut.click()
  await expect(signOut).toHaveCount(0)
  await page.context().close()
}

async function register(page: Page, email: string): Promise<void> {
  await page.goto('/register')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByLabel('Repeat your password').fill(password)
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page).toHaveURL(/\/my$/)
}

/** Signs in, with a code if the second step requires it, and ends in the member area. */
async function signIn(page: Page, email: string, code?: string): Promise<void> {
  await page.goto('/login')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  if (code) {
    await page.getByLabel('Code from your authenticator app').fill(code)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await expect(page).toHaveURL(/\/my$/)
}
