import { expect, test } from '#e2e/support/fixtures.ts'
import { cardForm, lockedPanel } from '#e2e/support/watching.ts'
import { pathOf } from '#e2e/support/routes.ts'

const missing = /Enter your e-mail/

test('a required field that is left empty says what is missing, and not before it is left', async ({
  page,
}) => {
  await page.goto('/login')
  const email = page.getByLabel('E-mail')
  await email.focus()
  await expect(email).not.toHaveAccessibleDescription(missing)
  // As the browser tells it when the window loses the focus: the field keeps its own.
  await email.evaluate((field) => field.dispatchEvent(new FocusEvent('focusout', { bubbles: true })))
  await expect(email).not.toHaveAccessibleDescription(missing)
  await page.keyboard.press('Tab')
  await expect(email).toHaveAccessibleDescription(missing)
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription('')
})

test('a press that leaves a field lands where it began: the message waits for its end', async ({ page }) => {
  await page.goto('/login')
  const email = page.getByLabel('E-mail')
  await email.focus()
  const way = page.getByRole('link', { name: 'Forgot your password?' })
  await way.hover()
  const before = await way.boundingBox()
  await page.mouse.down()
  await expect(email).not.toBeFocused()
  await expect(email).not.toHaveAccessibleDescription(missing)
  expect(await way.boundingBox()).toEqual(before)
  await page.mouse.up()
  await expect(page).toHaveURL(/\/retrievePassword$/)
})

test('the fields of the payment say what is missing once they are left', async ({ page }) => {
  await page.goto(await pathOf(page, '/videos/{video}?episode=4'))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const { form, card } = cardForm(page)
  await form.getByLabel('First name').press('Tab')
  await expect(form.getByLabel('First name')).toHaveAccessibleDescription('Enter your first name')
  const [number, complaint] = [card.getByLabel('Card number'), card.getByText('Check the card number.')]
  await number.fill('42')
  // Its script listens: the fields stand there before it comes.
  await expect(card.getByText('Visa')).toBeVisible()
  await number.fill('')
  await expect(card.getByText('Visa')).toHaveCount(0)
  await expect(complaint).toHaveCount(0)
  // By a press: the frame is in a process of its own, and keys go there a moment after the focus.
  await card.getByLabel('Expiry').click()
  await expect(complaint).toBeVisible()
})

test('a card that was typed before the script of its fields came is known by its brand once it is there', async ({
  page,
}) => {
  const held = Promise.withResolvers<void>()
  await page.route('**/sandbox/card.js', async (route) => {
    await held.promise
    await route.fallback()
  })
  await page.goto(await pathOf(page, '/videos/{video}?episode=4'))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  const { card } = cardForm(page)
  await card.getByLabel('Card number').fill('4242424242424242')
  await expect(card.getByText('Visa')).toHaveCount(0)
  held.resolve()
  await expect(card.getByText('Visa')).toBeVisible()
  await expect(card.getByLabel('Card number')).toHaveValue('4242 4242 4242 4242')
})
