import type { Page } from '@playwright/test'
import { expect, test } from '#e2e/support/fixtures.ts'
import { activateWithKeyboard, typeInto } from '#e2e/support/keyboard.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'
import { registerMember, type RegisteredMember } from '#e2e/support/register-member.ts'
import { siteUrl } from '#e2e/support/site-url.ts'
import { expectPlaying, lockedPanel, payByCard, towerUrl } from '#e2e/support/playback-and-payment.ts'

test.use({ bypassCSP: true })

/** Registers a member with a name in this window. */
async function register(page: Page): Promise<RegisteredMember> {
  await page.goto('/')
  return registerMember(page, { displayName: 'Mia' })
}

/** Returns 200 if this window's viewer can play an episode of the test drama, 402 if the episode is locked. */
async function playbackCode(page: Page, number: number): Promise<number> {
  const video_id = /vid_\w+/.exec(await towerUrl(page, 1))?.[0] ?? ''
  const list = await page.request.get(`/api/video/episode?video_id=${video_id}`)
  const { data } = (await list.json()) as { data: { list: { id: string; number: number }[] } }
  const id = data.list.find((episode) => episode.number === number)?.id ?? ''
  const answer = await page.request.get(`/api/video/episode?episode_id=${id}`)
  return ((await answer.json()) as { code: number }).code
}

test('support finds a member by e-mail address and by id, sees purchases, history and sessions, and signs the member out', async ({
  page,
}) => {
  await page.goto(await towerUrl(page, 4))
  await lockedPanel(page, 4).getByRole('button', { name: 'Pay $0.99' }).click()
  await payByCard(page, { number: '4242 4242 4242 4242' })
  await expectPlaying(page, 4)
  const { id, email } = await register(page)
  await openStudioWithSession(page, 'support')
  await page.goto(`/studio/customers?keyword=${id}`)
  await expect(
    page.getByRole('table', { name: 'Customers' }).getByRole('link', { name: email }),
  ).toBeVisible()

  await page.goto('/studio/customers')
  await typeInto(page, page.getByLabel('E-mail, order number or ID'), email.toUpperCase())
  await page.keyboard.press('Enter')
  await activateWithKeyboard(
    page,
    page.getByRole('table', { name: 'Customers' }).getByRole('link', { name: email }),
  )
  await expect(page.getByRole('heading', { level: 1, name: email })).toBeVisible()
  await expect(page.getByRole('table', { name: 'Access' })).toContainText('The Test Tower · 4')
  await expect(page.getByRole('table', { name: 'Orders' })).toContainText('$0.99')
  // The customer would be the same in each row.
  await expect(page.getByRole('table', { name: 'Orders' })).not.toContainText('Customer')
  await expect(page.getByRole('table', { name: 'Watch history' })).toContainText('The Test Tower · 4')
  await expect(page.getByRole('table', { name: 'Signed-in devices' }).getByRole('row')).toHaveCount(2)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign out on all devices' }).click()
  await expect(page.getByText('Signed out on 1 device.')).toBeVisible()
  await expect(page.getByText('No signed-in devices')).toBeVisible()
  await expect(page.getByRole('table', { name: 'Audit log' })).toContainText('customer sign-out')
  const { info } = (await (await page.request.get('/api/user')).json()) as { info: { role: string } }
  expect(info.role).toBe('visitor')
})

test('after a search, a video must be chosen before access can be granted @desktop', async ({ page }) => {
  const { id } = await register(page)
  await openStudioWithSession(page, 'owner')
  await page.goto(`/studio/customers/${id}`)
  await page.getByLabel('Search videos').fill('Tower')
  await page.getByLabel('Reason').fill('their download broke')
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
  await expect(page.getByLabel('Search videos')).toBeFocused()
  const videoError = page.getByText('Choose the video under “Access to”')
  await expect(videoError).toBeVisible()
  await page.getByLabel('Access to').selectOption('The Test Tower')
  await page.getByLabel('Search videos').fill('Wide')
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
  // The field has the focus again only if the form was rejected.
  await expect(page.getByLabel('Search videos')).toBeFocused()
  await expect(videoError).toBeVisible()
  await expect(page.getByText('Free episodes only')).toBeVisible()
})

test('access is granted with a reason and is effective immediately, and can be revoked with the keyboard', async ({
  page,
}) => {
  const { id } = await register(page)
  expect(await playbackCode(page, 5)).toBe(402)
  await openStudioWithSession(page, 'owner')
  await page.goto(`/studio/customers/${id}`)
  await page.getByLabel('Search videos').fill('Tower')
  await page.getByLabel('Access to', { exact: true }).selectOption('The Test Tower')
  await page.getByLabel('Episode', { exact: true }).fill('5')
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
  await expect(page.getByLabel('Reason')).toBeFocused()
  await page.getByLabel('Reason').fill('their download broke')
  await page.getByRole('button', { name: 'Grant', exact: true }).click()
  const accessTable = page.getByRole('table', { name: 'Access' })
  await expect(accessTable.getByRole('row', { name: 'The Test Tower · 5' })).toContainText(
    'Granted: their download broke',
  )
  expect(await playbackCode(page, 5)).toBe(200)

  await accessTable.getByRole('button', { name: 'Revoke access' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Revoke this access?' })
  await expect(dialog.getByLabel('Reason')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type('given twice')
  const refusal = { json: { code: 409, message: 'Not now.' } }
  await page.route('**/api/studio/entitlements', (route) => route.fulfill(refusal), { times: 1 })
  await page.keyboard.press('Enter')
  await expect(page.getByText('Not now.')).toBeVisible()
  // Refused input is unsaved, so closing asks for confirmation.
  await page.keyboard.press('Escape')
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await expect(question).toBeVisible()
  await page.keyboard.press('Enter')
  await expect(question).toHaveCount(0)
  await dialog.getByLabel('Reason').press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(accessTable.getByRole('button', { name: 'Revoke access' })).toHaveCount(0)
  expect(await playbackCode(page, 5)).toBe(402)
  const auditLog = page.getByRole('table', { name: 'Audit log' })
  await expect(auditLog).toContainText('entitlement grant')
  await expect(auditLog).toContainText('entitlement revoke')
})

test('a customer is deleted on request with a reason, and has no further actions @desktop', async ({
  page,
}) => {
  const { id, email } = await register(page)
  await openStudioWithSession(page, 'support')
  await page.goto(`/studio/customers/${id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this customer?' })
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog.getByLabel('Reason')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('Reason').fill('asked by mail')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Delete' })).toHaveCount(0)
  await expect(page.getByRole('heading', { name: 'Grant access' })).toHaveCount(0)
  await page.goto(`/studio/customers?keyword=${encodeURIComponent(email)}`)
  await expect(page.getByText('No customers found')).toBeVisible()
})

test('support manages customers, and sees other pages without actions; an editor has no access to customers @desktop', async ({
  page,
  browser,
}) => {
  const { id } = await register(page)
  await openStudioWithSession(page, 'support')
  for (const [path, heading, action] of [
    ['/studio/team', 'Team', 'Create link'],
    ['/studio/plans', 'Plans and pricing', 'New plan'],
    ['/studio/videos', 'Videos', 'New video'],
  ] as const) {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    await expect(page.getByRole('button', { name: action })).toHaveCount(0)
    await expect(page.getByRole('link', { name: action })).toHaveCount(0)
  }
  await page.goto('/studio')
  await expect(page.getByRole('link', { name: 'Customers' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Homepage' })).toHaveCount(0)

  const editorPage = await (await browser.newContext({ baseURL: siteUrl, locale: 'en-US' })).newPage()
  await openStudioWithSession(editorPage, 'editor')
  await expect(editorPage.getByRole('link', { name: 'Customers' })).toHaveCount(0)
  await editorPage.goto(`/studio/customers/${id}`)
  await expect(editorPage.getByRole('heading', { name: 'Not found' })).toBeVisible()
  for (const path of ['/studio/customers', '/studio/payments']) {
    await editorPage.goto(path)
    await expect(
      editorPage.getByText('You don’t have access to this page. Your role is Editor'),
    ).toBeVisible()
    await expect(editorPage.getByRole('main').getByRole('button')).toHaveCount(0)
  }
  await editorPage.context().close()
})

for (const [language, heading] of [
  ['en', 'Grant access'],
  ['dy', 'Zugang gewähren'],
] as const)
  test(
    `the customer page is accessible and fits, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      const { id } = await register(page)
      await openStudioWithSession(page, 'owner')
      await page.goto(`/studio/customers/${id}?lang=${language}`)
      await expect(page.getByRole('heading', { name: heading })).toBeVisible()
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
      await expectAccessible(page)
      await expectNoOverflow(page)
    },
  )
