import { expect, test } from '#e2e/support/fixtures.ts'
import { readStable } from '#e2e/support/page-quality.ts'
import { cardForm, lockedPanel } from '#e2e/support/playback-and-payment.ts'
import { resolvePath } from '#e2e/support/routes.ts'

const missing = /Enter your e-mail/

test('an empty required field shows its error only after losing focus', async ({ page }) => {
  await page.goto('/login')
  const email = page.getByLabel('E-mail')
  await email.focus()
  await expect(email).not.toHaveAccessibleDescription(missing)
  // Simulates a window that loses the focus: the field remains the active element.
  await email.evaluate((field) => field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  await expect(email).not.toHaveAccessibleDescription(missing)
  await page.keyboard.press('Tab')
  await expect(email).toHaveAccessibleDescription(missing)
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription('')
})

test('a press that blurs a field hits its target: the error appears after the press ends', async ({
  page,
}) => {
  await page.goto('/login')
  const email = page.getByLabel('E-mail')
  await email.focus()
  const link = page.getByRole('link', { name: 'Forgot your password?' })
  await link.hover()
  const before = await readStable(() => link.boundingBox())
  await page.mouse.down()
  await expect(email).not.toBeFocused()
  await expect(email).not.toHaveAccessibleDescription(missing)
  expect(await link.boundingBox()).toEqual(before)
  await page.mouse.up()
  await expect(page).toHaveURL(/\/retrievePassword$/)
})

test('the payment fields show their errors on blur', async ({ page }) => {
  await page.goto(await resolvePath(page, '/videos/{video}?episode=4'))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const { form, card } = cardForm(page)
  await form.getByLabel('First name').press('Tab')
  await expect(form.getByLabel('First name')).toHaveAccessibleDescription('Enter your first name.')
  const [number, errorMessage] = [card.getByLabel('Card number'), card.getByText('Check the card number.')]
  await number.fill('42')
  // Waits until the script is ready, because the fields are visible before it loads.
  await expect(card.getByText('Visa')).toBeVisible()
  await number.fill('')
  await expect(card.getByText('Visa')).toHaveCount(0)
  await expect(errorMessage).toHaveCount(0)
  // Clicks the next field instead of pressing Tab: the frame is in another process, which gets the focus too late for a
  // key.
  await card.getByLabel('Expiry').click()
  await expect(errorMessage).toBeVisible()
})

test('the brand of a card number is recognized even if the number was typed before the fields’ script loaded', async ({
  page,
}) => {
  const scriptHold = Promise.withResolvers<void>()
  await page.route('**/sandbox/card.js', async (route) => {
    await scriptHold.promise
    await route.fallback()
  })
  await page.goto(await resolvePath(page, '/videos/{video}?episode=4'))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const { card } = cardForm(page)
  await card.getByLabel('Card number').fill('4242424242424242')
  await expect(card.getByText('Visa')).toHaveCount(0)
  scriptHold.resolve()
  await expect(card.getByText('Visa')).toBeVisible()
  await expect(card.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
})
