import { expect, test } from '#e2e/support/fixtures.ts'
import { expectAccessible, expectNoOverflow } from '#e2e/support/page-quality.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

test('navigation moves the focus to the heading of the new page @desktop', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/videos')
  await page
    .getByRole('navigation', { name: 'Studio navigation' })
    .getByRole('link', { name: 'Payments' })
    .click()
  await expect(page.getByRole('heading', { level: 1, name: 'Payments' })).toBeFocused()
})

test('a page that does not exist has one heading, also inside an area @desktop', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  for (const path of ['', '/payments', '/homepage', '/videos', '/analytics']) {
    await page.goto(`/studio${path}/nowhere/at/all`)
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toHaveText('Not found')
    await expect(heading).toHaveCount(1)
  }
})

test('a load error is shown once, without a message over its retry button', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  await page.route('**/api/studio/videos*', (route) =>
    route.fulfill({ json: { code: 500, message: 'The database is down.' } }),
  )
  await page.goto('/studio/videos')
  await expect(page.getByText('We couldn’t load this.')).toBeVisible()
  const message = page.locator('[popover]').filter({ hasText: 'The database is down.' })
  // The message is in the document, but hidden. It would be visible for five seconds, so do not wait until it is hidden.
  await expect(message).toHaveCount(1)
  expect(await message.isVisible()).toBe(false)
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('table', { name: 'Videos' })).toBeVisible()
})

test('the buttons of a sheet are as far from its lower edge as from its side', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/videos')
  await page.getByRole('button', { name: 'New video' }).click()
  const distances = await page.getByRole('dialog').evaluate((dialog) => {
    const box = dialog.getBoundingClientRect()
    const boxes = [...dialog.querySelectorAll('form button')].map((button) => button.getBoundingClientRect())
    return {
      side: Math.min(...boxes.map(({ left }) => left - box.left)),
      end: Math.min(...boxes.map(({ bottom }) => box.bottom - bottom)),
    }
  })
  expect(distances.end).toBeCloseTo(distances.side, 0)
})

test('the sign-in page has the site icon and a language chooser, and no shell command', async ({ page }) => {
  await page.goto('/studio')
  await expect(page.locator('main img')).toBeVisible()
  await page.getByLabel('Language').selectOption({ label: 'Deutsch' })
  await expect(page.getByRole('heading', { name: 'Im Studio anmelden' })).toBeVisible()
  await expect(page.getByText('npm run')).toHaveCount(0)
})

test('every area is visible on a phone, and the preview keeps its size when the homepage is saved @screens', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/homepage')
  const links = page.getByRole('navigation', { name: 'Studio navigation' }).getByRole('link')
  await expect(links).toHaveCount(10)
  for (const link of await links.all()) await expect(link).toBeInViewport({ ratio: 1 })
  const desktop = page.getByRole('button', { name: 'Desktop' })
  await desktop.click()
  await page.getByLabel('Footer text').fill(`© ${crypto.randomUUID().slice(0, 6)}`)
  await page.getByRole('button', { name: 'Publish changes' }).click()
  await expect(page.getByText('Published. Viewers see')).toBeVisible()
  await expect(desktop).toHaveAttribute('aria-pressed', 'true')
})

test('navigation labels on a phone have at least 12 px and fit their columns, in English and German @screens', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  for (const language of ['en', 'dy'])
    for (const width of [360, 390, 720, 844]) {
      await page.setViewportSize({ width, height: 700 })
      await page.goto(`/studio/team?lang=${language}`)
      const links = page.getByRole('navigation').first().getByRole('link')
      await expect(links).toHaveCount(10)
      const labels = await links.evaluateAll((elements) =>
        elements.map((link) => ({
          label: link.textContent,
          px: Number.parseFloat(getComputedStyle(link).fontSize),
          hidden: link.scrollWidth - link.clientWidth,
          height: Math.round(link.getBoundingClientRect().height),
        })),
      )
      for (const { label, px, hidden } of labels) {
        expect.soft(px, `${label} at ${width} px`).toBeGreaterThanOrEqual(12)
        expect.soft(hidden, `${label} at ${width} px`).toBe(0)
      }
      expect.soft(new Set(labels.map(({ height }) => height)).size, `heights at ${width} px`).toBe(1)
    }
})

test('in a low window, the header of the studio is one row with all areas and the account', async ({
  page,
}) => {
  await openStudioWithSession(page, 'owner')
  for (const [language, account] of [
    ['en', 'Account and language'],
    ['dy', 'Konto und Sprache'],
  ] as const)
    for (const [width, height] of [
      [844, 390],
      [750, 340],
      [720, 450],
      [667, 375],
      [600, 400],
    ] as const) {
      await page.setViewportSize({ width, height })
      await page.goto(`/studio/team?lang=${language}`)
      const header = page.locator('header').first()
      const button = header.getByRole('button', { name: account })
      await expect(button).toBeInViewport({ ratio: 1 })
      const links = header.getByRole('link')
      await expect(links).toHaveCount(11)
      const size = `${language} at ${width} px`
      const boxes = await header.locator('a, button').evaluateAll((all) =>
        all
          .filter((each) => each.checkVisibility())
          .map((each) => {
            const { width, height, right } = each.getBoundingClientRect()
            return { name: each.textContent, width, height, right }
          }),
      )
      for (const box of boxes) {
        expect.soft(Math.min(box.width, box.height), `${box.name}, ${size}`).toBeGreaterThanOrEqual(44)
        expect.soft(box.right, `${box.name}, ${size}`).toBeLessThanOrEqual(width)
      }
      expect.soft((await header.boundingBox())?.height, size).toBeLessThanOrEqual(64)
      await button.click()
      await expect(header.getByRole('combobox')).toBeInViewport({ ratio: 1 })
      await expectNoOverflow(page)
      await expectAccessible(page)
    }
})

test('tabs fade out at the edge of a narrow phone until they are scrolled to their end @screens', async ({
  page,
}) => {
  await page.setViewportSize({ width: 320, height: 700 })
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/payments?lang=dy')
  const tabs = page.getByRole('navigation', { name: 'Zahlungen', exact: true })
  await expect(tabs).toHaveCSS('mask-image', /^linear-gradient/)
  await tabs.evaluate((element) => element.scrollTo(element.scrollWidth, 0))
  await expect(tabs).toHaveCSS('mask-image', 'none')
  // The current tab is never faded.
  await page.goto('/studio/payments/reconciliation?lang=dy')
  await expect(tabs.getByRole('link', { name: 'Abgleich' })).toHaveAttribute('aria-current', 'page')
  await expect(tabs).toHaveCSS('mask-image', 'none')
  await page.goto('/studio/homepage?lang=dy')
  await expect(page.getByRole('navigation', { name: 'Startseite', exact: true })).toHaveCSS(
    'mask-image',
    'none',
  )
})
