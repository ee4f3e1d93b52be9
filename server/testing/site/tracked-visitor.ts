import { changeUser, getUser } from '#contract/members.ts'
import type { TestSite } from './test-site.ts'
import type { Visitor } from './visitor.ts'

/** Creates a guest with a stored row and an answer to the consent question. */
export async function trackedVisitor(
  site: TestSite,
  marketing: boolean | null,
  headers: Record<string, string> = {},
): Promise<{ visitor: Visitor; userId: string }> {
  const visitor = site.visitor(headers)
  await visitor.callOk(getUser)
  const { id } = await visitor.callOk(changeUser, { body: { language: 'en' } })
  await setConsent(site, id, marketing)
  return { visitor, userId: id }
}

export async function setConsent(site: TestSite, userId: string, marketing: boolean | null): Promise<void> {
  await site.context.db
    .updateTable('users')
    .set({ consent_marketing: marketing, consent_at: new Date(), consent_version: '1' })
    .where('id', '=', userId)
    .execute()
}
