import type { Page } from '@playwright/test'
import type { ResultOf } from '#contract/endpoint.ts'
import type { listJobs } from '#contract/studio/system.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { insertAbandonedMail } from '#e2e/support/insert-abandoned-mail.ts'
import { waitForMail } from '#e2e/support/site-mails.ts'
import { openStudioWithSession } from '#e2e/support/studio.ts'

test.use({ bypassCSP: true })

interface JobList {
  data: ResultOf<typeof listJobs>
}

/** Returns the time of the last successful health check in ms; 0 if there is none. */
async function lastSuccess(page: Page): Promise<number> {
  const answer = (await (await page.request.get('/api/studio/system/jobs')).json()) as JobList
  const found = answer.data.list.find(({ name }) => name === 'check-health')
  return Date.parse(found?.succeeded_at ?? '') || 0
}

const job = (page: Page) => page.getByRole('row', { name: /check-health/ })

/** Expands the jobs without problems, which are collapsed on a phone. */
async function expandJobs(page: Page): Promise<void> {
  const summary = page.locator('summary').filter({ hasText: /^\d+ jobs without problems$/ })
  await expect(summary).toBeVisible()
  await expect(job(page)).toBeHidden()
  await summary.click()
}

test('an owner sees that each component works, and runs a job immediately', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/system')
  const parts = ['Database', 'Storage', 'E-mail'].map((part) =>
    page.getByRole('listitem').filter({ hasText: new RegExp(`^${part}`) }),
  )
  // On a busy machine, a component may respond too late; then the next check finds it operational.
  await expect(async () => {
    const checked = page.waitForResponse(
      (response) => response.url().endsWith('/system/health') && response.request().method() === 'POST',
    )
    await page.getByRole('button', { name: 'Check now' }).click()
    expect((await checked).ok()).toBe(true)
    for (const part of parts) await expect(part).toContainText('Operational', { timeout: 5_000 })
  }).toPass()
  const before = await lastSuccess(page)
  await expandJobs(page)
  await job(page)
    .getByRole('button', { name: /^Run now/ })
    .click()
  await expect.poll(async () => (await lastSuccess(page)) > before).toBe(true)
  await expect(job(page)).toContainText('OK')
  await expect(page.getByText('No failed files')).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
})

test('a waiting job is shown as completed without a reload @desktop', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  let isWaiting = true
  await page.route('**/api/studio/system/jobs', async (route) => {
    const response = await route.fetch()
    const answer = (await response.json()) as JobList
    for (const each of answer.data.list) if (isWaiting) each.state = 'requested'
    await route.fulfill({ response, json: answer })
  })
  await page.goto('/studio/system')
  await expect(job(page)).toContainText('Starting')
  isWaiting = false
  await expect(job(page)).toContainText('OK')
})

test('support sees an abandoned mail but not the secret link in it, and resends the mail, which arrives', async ({
  page,
}) => {
  const address = `bounced-${crypto.randomUUID().slice(0, 8)}@example.com`
  await insertAbandonedMail(address)
  await openStudioWithSession(page, 'support')
  await page.goto('/studio/system')
  const mail = page.getByRole('row', { name: address })
  await expect(mail).toContainText('Confirm your e-mail address')
  await expect(mail).toContainText('Check the address.')
  await expect(page.getByText('RCPT TO 550')).toHaveCount(0)
  expect(await page.content()).not.toContain('a-secret')
  await expectAccessible(page)
  await expectNoOverflow(page)
  await mail.getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText('The e-mail will be sent again.')).toBeVisible()
  await expect(mail).toHaveCount(0)
  expect((await waitForMail(address, 'Confirm your e-mail address')).link).toContain('a-secret')
})

test('the free space of the storage is shown in German @desktop', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  await page.goto('/studio/system?lang=dy')
  const storage = page.getByRole('listitem').filter({ hasText: 'Speicher' })
  await expect(storage).toContainText(/\d GB frei/)
  await expect(storage).not.toContainText('left in')
})

test('if the site does not respond, an error and a retry button are shown @desktop', async ({ page }) => {
  await openStudioWithSession(page, 'owner')
  await page.route('**/api/studio/system/health', (route) =>
    route.fulfill({ json: { code: 500 }, contentType: 'application/json' }),
  )
  await page.goto('/studio/system')
  await expect(page.getByText('The site isn’t responding.')).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).first().click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Database' })).toContainText('Operational')
})

test('an analyst sees the system status without actions @desktop', async ({ page }) => {
  await openStudioWithSession(page, 'analyst')
  await page.goto('/studio/system')
  await expect(job(page)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Run now/ })).toHaveCount(0)
})

for (const [language, words] of [
  ['en', ['Setup guide', 'System status']],
  ['dy', ['Einrichtung', 'Systemstatus']],
] as const)
  test(
    `the setup guide and system pages are accessible and fit, in ${language}`,
    { tag: ['@screens', '@sizes'] },
    async ({ page }) => {
      await openStudioWithSession(page, 'owner')
      for (const [index, path] of ['/studio', '/studio/system'].entries()) {
        await page.goto(`${path}?lang=${language}`)
        await expect(page.getByRole('heading', { name: words[index], exact: true, level: 1 })).toBeVisible()
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
        await expectAccessible(page)
        await expectNoOverflow(page)
      }
    },
  )
