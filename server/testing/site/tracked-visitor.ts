import { changeUser, getUser } from '#contract/members.ts'
import type { TestSite } from './test-site.ts'
import type { Visitor } from './visitor.ts'

/** Creates a guest who is stored in the database. `marketing` is the answer to the consent question; null for none. */
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

/** Stores a user's answer to the consent question; null removes it. */
export async function setConsent(site: TestSite, userId: string, marketing: boolean | null): Promise<void> {
  await site.context.db
    .updateTable('users')
    .set({ consent_marketing: marketing, consent_at: new Date(), consent_version: '1' })
    .where('id', '=', userId)
    .execute()
}
