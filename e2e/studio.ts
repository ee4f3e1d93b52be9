import { expect, type Page } from '@playwright/test'
import type { Role } from '#contract/studio/command.ts'
import { codeAt } from '#server/testing/operator.ts'
import { runCommand } from './site-home.ts'
import { siteUrl } from './site-url.ts'

export const deskPassword = 'a passphrase for the desk'

/** A new operator's one-time link, and their address. */
export async function inviteOperator(role: Role): Promise<{ email: string; link: string }> {
  const email = `${role}-${crypto.randomUUID()}@example.com`
  const printed = await runCommand('studio', 'operator', 'add', email, '--role', role, '--json')
  return { email, link: (JSON.parse(printed) as { link: string }).link }
}

/** Lets somebody new into the studio, by the pages. @returns the secret of their authenticator app */
export async function openStudio(page: Page, role: Role): Promise<{ email: string; secret: string }> {
  const { email, link } = await inviteOperator(role)
  return { email, secret: await acceptLink(page, link) }
}

/** Comes in by a one-time link. @returns the secret of their authenticator app */
export async function acceptLink(page: Page, link: string): Promise<string> {
  await page.goto(link)
  const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
  for (const field of await page.locator('input[type=password]').all()) await field.fill(deskPassword)
  await page
    .getByRole('textbox', { name: /authenticator app|Authentifizierungs-App/ })
    .fill(codeAt(secret, new Date()))
  await page.locator('button[type=submit]').click()
  await expect(page.locator('ul code')).toHaveCount(10)
  await page.getByRole('button').last().click()
  await expect(page.getByRole('navigation', { name: /studio/i })).toBeVisible()
  return secret
}

/** Begins a draft with tags or a category of these names, by whoever is signed in to the studio. @returns its id */
export async function labelVideo(
  page: Page,
  labels: { tags?: string[]; category?: string },
): Promise<string> {
  const post = async (path: string, data: object) => {
    const answer = await page.request.post(`/api/studio/video/${path}`, {
      data,
      headers: { origin: siteUrl },
    })
    return (await answer.json()) as { info: { id: string } }
  }
  const { id } = (await post('add', { title: 'A labelled draft' })).info
  await post('edit', { id, ...labels })
  return id
}
