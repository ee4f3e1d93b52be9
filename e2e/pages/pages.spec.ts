import { expect, test } from '#e2e/support/fixtures.ts'
import { doubleClickBeforeSend } from '#e2e/support/double-click-before-send.ts'

const pages = [
  ['/serviceAgreement', 'Terms of use'],
  ['/privacyPolicy', 'Privacy policy'],
  ['/refundPolicy', 'Refund policy'],
  ['/contentPolicy', 'Content policy'],
  ['/commonQuestions', 'Frequently asked questions'],
  ['/contactUs', 'Contact us'],
] as const

test('each page shows its title, which is also the document title', async ({ page }) => {
  for (const [path, title] of pages) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(page.locator('main h2[id]').first()).toBeVisible()
    await expect(page).toHaveTitle(title)
  }
})

test('a heading links to itself', async ({ page }) => {
  await page.goto('/refundPolicy#how-to-ask')
  const heading = page.getByRole('heading', { name: 'How to ask' })
  await expect(heading).toBeInViewport()
  await page.goto('/refundPolicy')
  await heading.getByRole('link').click()
  await expect(page).toHaveURL(/\/refundPolicy#how-to-ask$/)
})

test('a page switches language with the interface', async ({ page }) => {
  await page.goto('/contentPolicy?lang=en')
  await expect(page.getByRole('heading', { level: 1, name: 'Content policy' })).toBeVisible()
  await page.goto('/contentPolicy?lang=de')
  await expect(page.getByRole('heading', { level: 1, name: 'Inhaltsrichtlinie' })).toBeVisible()
  await expect(page.locator('html')).toHaveAttribute('lang', 'de')
})

test('the contact form shows errors beside their fields, keeps its input, and is sent once', async ({
  page,
}) => {
  await page.goto('/contactUs')
  const name = page.getByLabel('Your name')
  const email = page.getByLabel('Your e-mail address')
  const message = page.getByLabel('Your message')
  const send = page.getByRole('button', { name: 'Send message' })
  await name.fill('Ada')
  await email.fill('ada')
  await send.click()
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription(/Enter your e-mail/)
  await expect(message).toHaveAccessibleDescription(/Enter a message of up to 5,000 characters/)
  await email.fill('ada@example.com')
  await message.fill('Where is episode 7?')

  await page.route('**/api/contact', (route) =>
    route.fulfill({ json: { code: 500, message: 'This address is too odd.', info: { field: 'email' } } }),
  )
  await send.click()
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription('This address is too odd.')
  await expect(message).toHaveValue('Where is episode 7?')
  await page.unroute('**/api/contact')

  let sent = 0
  page.on('request', (request) => (sent += Number(request.url().endsWith('/api/contact'))))
  await doubleClickBeforeSend(page, send, '**/api/contact')
  await expect(page.getByRole('heading', { name: 'Message sent' })).toBeFocused()
  await expect(page.getByText('will reply to ada@example.com')).toBeVisible()
  expect(sent).toBe(1)
})
