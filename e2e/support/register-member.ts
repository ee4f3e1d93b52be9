import { expect, type Page } from '@playwright/test'
import { siteUrl } from './site-url.ts'

export interface RegisteredMember {
  id: string
  email: string
  password: string
}

/** Registers a member by the API, with the cookies of a page's browser. The page shows the member after a reload. */
export async function registerMember(
  page: Page,
  { email = `ada-${crypto.randomUUID()}@example.com`, displayName = '' } = {},
): Promise<RegisteredMember> {
  const password = 'a quiet lighthouse'
  const answer = await page.request.post(`${siteUrl}/api/user/register`, {
    data: { email, password, repeat_password: password, ...(displayName && { display_name: displayName }) },
    headers: { origin: siteUrl },
  })
  expect(await answer.json(), 'the registration succeeds').toEqual(expect.objectContaining({ code: 200 }))
  const user = await page.request.get(`${siteUrl}/api/user`)
  expect(await user.json(), 'the browser is signed in').toMatchObject({ info: { email, role: 'member' } })
  const { info } = (await user.json()) as { info: { id: string } }
  return { id: info.id, email, password }
}
