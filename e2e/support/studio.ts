import { expect, type Page } from '@playwright/test'
import type { Role } from '#contract/studio/command.ts'
import { codeAt } from '#server/testing/builders/operator.ts'
import { currentSite, prepared } from '#e2e/site/own-site.ts'
import { siteUrl } from './site-url.ts'

export const studioPassword = 'a passphrase for the desk'

/** A new operator's one-time link, and their address. */
export async function inviteOperator(role: Role): Promise<{ email: string; link: string }> {
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.com`
  const printed = await currentSite().server.studio('operator', 'add', email, '--role', role, '--json')
  return { email, link: (JSON.parse(printed) as { link: string }).link }
}

/** Lets somebody new into the studio, by the pages. @returns the secret of their authenticator app */
export async function openStudio(page: Page, role: Role): Promise<{ email: string; secret: string }> {
  const { email, link } = await inviteOperator(role)
  return { email, secret: await acceptLink(page, link) }
}

/** Signs in an operator who is in every site from the start: entering by a link takes longer than many tests. */
export async function enterStudio(page: Page, role: Role): Promise<void> {
  const { cookie } = prepared().operators[currentSite().template][role]
  await page.context().addCookies([{ name: 'operator', value: cookie, url: siteUrl, httpOnly: true }])
  await page.goto('/studio')
  await expect(page.getByRole('navigation', { name: /studio/i })).toBeVisible()
}

/** Comes in by a one-time link. @returns the secret of their authenticator app */
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

/** Sends a studio command without its page, as the signed-in operator. */
export async function give<Answer>(page: Page, path: string, data: object): Promise<Answer> {
  const answer = await page.request.post(`/api/studio/${path}`, { data, headers: { origin: siteUrl } })
  return (await answer.json()) as Answer
}

/** Begins a draft. @returns its id */
export async function beginDraft(page: Page, title: string): Promise<string> {
  return (await give<{ info: { id: string } }>(page, 'video/add', { title })).info.id
}

/** Begins a draft with tags or a category of these names. @returns its id */
export async function labelVideo(
  page: Page,
  labels: { tags?: string[]; category?: string },
): Promise<string> {
  const id = await beginDraft(page, 'A labelled draft')
  await give(page, 'video/edit', { id, ...labels })
  return id
}

/** Brings films into a draft as episodes called "Tale 1", "Tale 2" …, which are in its list soon after. */
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
