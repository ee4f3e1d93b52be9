import { expect, type Page } from '@playwright/test'
import type { Role } from '#contract/studio/command.ts'
import { codeAt } from '#server/testing/builders/operator.ts'
import { currentSite, prepared } from '#e2e/site/own-site.ts'
import { siteUrl } from './site-url.ts'

export const studioPassword = 'a passphrase for the desk'

/** Invites an operator. @returns the one-time link and the address */
export async function inviteOperator(role: Role): Promise<{ email: string; link: string }> {
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.com`
  const printed = await currentSite().server.studio('operator', 'add', email, '--role', role, '--json')
  return { email, link: (JSON.parse(printed) as { link: string }).link }
}

/** Invites an operator and accepts the invitation on the page. @returns the address and the authenticator secret */
export async function openStudio(page: Page, role: Role): Promise<{ email: string; secret: string }> {
  const { email, link } = await inviteOperator(role)
  return { email, secret: await acceptLink(page, link) }
}

/** Signs in a prepared operator of the template, because accepting an invitation takes longer than many tests. */
export async function enterStudio(page: Page, role: Role): Promise<void> {
  const { cookie } = prepared().operators[currentSite().template][role]
  await page.context().addCookies([{ name: 'operator', value: cookie, url: siteUrl, httpOnly: true }])
  await page.goto('/studio')
  await expect(page.getByRole('navigation', { name: /studio/i })).toBeVisible()
}

/** Accepts an invitation by its one-time link. @returns the authenticator secret */
export async function acceptLink(page: Page, link: string): Promise<string> {
  await page.goto(link)
  const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
  for (const field of await page.locator('input[type=password]').all()) await field.fill(studioPassword)
  await page
    .getByRole('textbox', { name: /authenticator app|Authentifizierungs-App/ })
    .fill(codeAt(secret, new Date()))
  await page.locator('button[type=submit]').click()
  await expect(page.locator('ul code')).toHaveCount(10)
  await page.getByRole('button').last().click()
  await expect(page.getByRole('navigation', { name: /studio/i })).toBeVisible()
  return secret
}

/** Sends a studio command directly, as the signed-in operator. */
export async function give<Answer>(page: Page, path: string, data: object): Promise<Answer> {
  const answer = await page.request.post(`/api/studio/${path}`, { data, headers: { origin: siteUrl } })
  return (await answer.json()) as Answer
}

/** Creates a draft. @returns its id */
export async function beginDraft(page: Page, title: string): Promise<string> {
  return (await give<{ info: { id: string } }>(page, 'video/add', { title })).info.id
}

/** Creates a draft with tags or a category of these names. @returns its id */
export async function labelVideo(
  page: Page,
  labels: { tags?: string[]; category?: string },
): Promise<string> {
  const id = await beginDraft(page, 'A labelled draft')
  await give(page, 'video/edit', { id, ...labels })
  return id
}

/** Uploads videos into a draft as episodes with the titles "Tale 1", "Tale 2" …, which appear in its list soon after. */
export async function bringFilms(page: Page, videoId: string, films: readonly Buffer[]): Promise<void> {
  const files = films.map(({ length: bytes }, index) => ({
    name: `${index + 1}.mp4`,
    bytes,
    changed_at: new Date(0).toISOString(),
    number: index + 1,
    titles: { en: `Tale ${index + 1}` },
  }))
  const { data } = await give<{ data: { list: { id: string }[] } }>(page, 'uploads', {
    video_id: videoId,
    files,
  })
  const headers = { origin: siteUrl, 'content-type': 'application/octet-stream' }
  for (const [index, { id }] of data.list.entries())
    await page.request.post(`/api/studio/uploads/${id}/parts/0`, { data: films[index] ?? '', headers })
}
