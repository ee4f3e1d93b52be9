import type { Page } from '@playwright/test'
import pg from 'pg'
import { currentSite } from '#e2e/site/site-server.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { expectNoOverflow, expectAccessible } from '#e2e/support/page-quality.ts'
import { videoIds } from '#e2e/support/routes.ts'
import { waitForMail } from '#e2e/support/site-mails.ts'
import { registerMember } from '#e2e/support/register-member.ts'
import { expectProgress } from '#e2e/support/playback-and-payment.ts'

async function executeSql(...statements: [text: string, values: unknown[]][]): Promise<void> {
  const client = new pg.Client({ connectionString: currentSite().databaseUrl })
  await client.connect()
  try {
    for (const [text, values] of statements) await client.query(text, values)
  } finally {
    await client.end()
  }
}

/** Registers a member with a confirmed address. @returns the address */
async function registerConfirmed(page: Page): Promise<string> {
  await page.goto('/search')
  const { email } = await registerMember(page)
  await executeSql(['UPDATE users SET email_verified_at = now() WHERE email = $1', [email]])
  return email
}

/** Simulates that episode 6 of a drama was released 11 minutes ago, after all favorites were added. */
const releaseLastEpisode = (id: string) =>
  executeSql(
    // Deletes the episodes that the import recorded as new.
    ['DELETE FROM new_episodes', []],
    [`UPDATE favorites SET favorited_at = favorited_at - interval '1 hour' WHERE video_id = $1`, [id]],
    [
      `WITH gone AS (UPDATE episodes SET asset_id = NULL, next_asset_id = asset_id WHERE video_id = $1 AND number = 6)
       SELECT 1`,
      [id],
    ],
    [
      `UPDATE episodes SET asset_id = next_asset_id, next_asset_id = NULL WHERE video_id = $1 AND number = 6`,
      [id],
    ],
    [`UPDATE new_episodes SET detected_at = now() - interval '11 minutes' WHERE video_id = $1`, [id]],
  )

test('the first favorite prompts for alerts, a release sends a mail, and the link in the mail turns alerts off @sizes', async ({
  page,
}) => {
  const email = await registerConfirmed(page)
  const [tower = ''] = await videoIds(page)
  await page.goto(`/videos/${tower}`)
  await expectProgress(page)
  const question = page.getByRole('dialog', { name: 'Don’t miss the next episode' })
  await expect(question).toHaveCount(0)
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  await expect(question).toBeVisible()
  await expectAccessible(page)
  await expectNoOverflow(page)
  await question.getByRole('button', { name: 'E-mail me' }).click()
  await expect(question).toHaveCount(0)
  await expect(page.getByText('Alerts are on.')).toBeVisible()
  await page.goto('/my')
  const box = page.getByRole('checkbox', { name: 'E-mail me when my favorites have new episodes' })
  await expect(box).toBeChecked()
  await expectAccessible(page)
  await releaseLastEpisode(tower)
  const mail = await waitForMail(email, 'A new episode of The Test Tower')
  expect(mail.link).toContain(`/videos/${tower}?episode=6`)
  const stop = new URL(/\S+#alerts=\S+/.exec(mail.text)?.[0] ?? '')
  await page.goto(`${stop.pathname}${stop.hash}`)
  await expect(page.getByRole('heading', { name: 'Turn off new-episode alerts' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Turn off alerts' }).click()
  await expect(page.getByRole('heading', { name: 'Alerts are off' })).toBeVisible()
  await page.goto('/my')
  await expect(box).not.toBeChecked()
  const saved = page.waitForResponse(/\/api\/user\/alerts$/)
  await box.check()
  await saved
  await page.reload()
  await expect(box).toBeChecked()
})

test('a viewer is not prompted for alerts on arrival, nor again after an answer', async ({ page }) => {
  await registerConfirmed(page)
  const [tower = '', other = ''] = await videoIds(page)
  await page.goto(`/videos/${tower}`)
  await expectProgress(page)
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  await page.getByRole('button', { name: 'Not now' }).click()
  await page.goto(`/videos/${other}`)
  await expectProgress(page)
  const isChange = /\/api\/user\/favorite$/
  const saved = page.waitForResponse(isChange)
  // The script that decides whether to prompt.
  const decided = page.waitForResponse(/\/offer-alerts-/)
  await page.getByRole('button', { name: 'Add to favorites' }).click()
  await Promise.all([saved, decided])
  // A dialog would cover the button.
  const removed = page.waitForResponse(isChange)
  await page.getByRole('button', { name: 'Remove from favorites' }).click()
  await removed
  await expect(page.getByRole('button', { name: 'Add to favorites' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0) // stays
})
