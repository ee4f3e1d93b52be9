import type { Membership, User } from '#contract/members.ts'
import type { Language } from '#contract/languages.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { selectUser } from '#server/features/members/user-queries.ts'
import { hasSecondFactor } from '#server/features/members/credentials/second-factor/second-factor.ts'

export interface UserContext {
  db: Db
  /** Returns a user's membership. Billing implements it (billing/feature.ts). */
  membershipOf(db: Db, viewer: Viewer, language: Language): Promise<Membership>
}

/** Loads a viewer's user in the contract's form. */
export async function loadUser(
  { db, membershipOf }: UserContext,
  viewer: Viewer,
  language: Language,
): Promise<User> {
  const [row, second_factor, membership] = await Promise.all([
    viewer.isStored ? selectUser(db, viewer.userId) : undefined,
    viewer.role === 'member' && hasSecondFactor(db, viewer.userId),
    membershipOf(db, viewer, language),
  ])
  return {
    id: viewer.userId,
    role: viewer.role,
    email: row?.email ?? null,
    email_verified: Boolean(row?.email_verified_at),
    display_name: row?.display_name ?? null,
    avatar_url: row?.avatar_url ?? null,
    language: (row?.language as Language | null | undefined) ?? null,
    referral_code: row?.referral_code ?? null,
    consent: typeof row?.consent_marketing === 'boolean' ? { marketing: row.consent_marketing } : null,
    has_password: Boolean(row?.password_hash),
    second_factor,
    membership,
  }
}
