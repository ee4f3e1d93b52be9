import { expect, type Page } from '@playwright/test'
import type { Role } from '#contract/studio/roles.ts'
import { totpCodeAt } from '#server/testing/builders/operator.ts'
import { currentSite, preparedSites } from '#e2e/site/site-server.ts'
import { siteUrl } from './site-url.ts'

export const studioPassword = 'a passphrase for the studio'

/** Invites an operator. @returns the one-time link and the e-mail address */
export async function inviteOperator(role: Role): Promise<{ email: string; link: string }> {
  const email = `${role}-${crypto.randomUUID().slice(0, 8)}@example.com`
  const printed = await currentSite().server.studio('operator', 'add', email, '--role', role, '--json')
  return { email, link: (JSON.parse(printed) as { link: string }).link }
}

/**
 * Invites an operator and accepts the invitation on the page.
 * @returns the e-mail address and the authenticator secret
 */
export async function openStudioByInvitation(
  page: Page,
  role: Role,
): Promise<{ email: string; secret: string }> {
  const { email, link } = await inviteOperator(role)
  return { email, secret: await acceptInvitationLink(page, link) }
}

/**
 * Signs in an operator of the template by the cookie of its session. Accepting an invitation would take longer than
 * many tests.
 */
export async function openStudioWithSession(page: Page, role: Role): Promise<void> {
  const { cookie } = preparedSites().operators[currentSite().template][role]
  await page.context().addCookies([{ name: 'operator', value: cookie, url: siteUrl, httpOnly: true }])
  await page.goto('/studio')
  await expect(page.getByRole('navigation', { name: /studio/i })).toBeVisible()
}

/** Accepts an invitation by its one-time link. @returns the authenticator secret */
export async function acceptInvitationLink(page: Page, link: string): Promise<string> {
  await page.goto(link)
  const secret = ((await page.locator('code').textContent()) ?? '').replaceAll(' ', '')
  for (const field of await page.locator('input[type=password]').all()) await field.fill(studioPassword)
  await page
    .getByRole('textbox', { name: /authenticator app|Authentifizierungs-App/ })
    .fill(totpCodeAt(secret, new Date()))
  await page.locator('button[type=submit]').click()
  await expect(page.locator('ul code')).toHaveCount(10)
  await page.getByRole('button').last().click()
  await expect(page.getByRole('navigation', { name: /studio/i })).toBeVisible()
  return secret
}

/** Sends a studio command by the API, as the signed-in operator. */
export async function postToStudio<Answer>(page: Page, path: string, data: object): Promise<Answer> {
  const answer = await page.request.post(`/api/studio/${path}`, { data, headers: { origin: siteUrl } })
  return (await answer.json()) as Answer
}

/** Creates a draft. @returns its id */
export async function createDraft(page: Page, title: string): Promise<string> {
  return (await postToStudio<{ info: { id: string } }>(page, 'video/add', { title })).info.id
}

/** Creates a draft with tags or a category. @returns its id */
export async function createLabelledDraft(
  page: Page,
  labels: { tags?: string[]; category?: string },
): Promise<string> {
  const id = await createDraft(page, 'A labelled draft')
  await postToStudio(page, 'video/edit', { id, ...labels })
  return id
}

/**
 * Uploads videos into a draft as the episodes "Tale 1", "Tale 2" and so on. They soon appear in the draft's list of
 * episodes.
 */
export async function uploadFilms(page: Page, videoId: string, films: readonly Buffer[]): Promise<void> {
  const files = films.map(({ length: bytes }, index) => ({
    name: `${index + 1}.mp4`,
    bytes,
    last_modified_at: new Date(0).toISOString(),
    number: index + 1,
    titles: { en: `Tale ${index + 1}` },
  }))
  const { data } = await postToStudio<{ data: { list: { id: string }[] } }>(page, 'uploads', {
    video_id: videoId,
    files,
  })
  const headers = { origin: siteUrl, 'content-type': 'application/octet-stream' }
  for (const [index, { id }] of data.list.entries())
    await page.request.post(`/api/studio/uploads/${id}/parts/0`, { data: films[index] ?? '', headers })
}
