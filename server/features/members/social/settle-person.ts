import { Refusal } from '#contract/errors.ts'
import type { SocialAnswer } from '#contract/members.ts'
import type { AccountCall, MembersContext } from '#server/features/members/members-context.ts'
import { checkEmail } from '#server/features/members/check-person.ts'
import { keepViewer, newGuest } from '#server/features/members/members.ts'
import { selectUserByEmail, selectUser, updateUser } from '#server/features/members/queries.ts'
import { signInAs } from '#server/features/members/sign-in-as.ts'
import type { Tx } from '#server/tables.ts'
import { insertIdentity, selectOwner } from './queries.ts'
import type { SocialPerson } from './social-provider.ts'

/** Whom a provider vouched for. */
export interface Vouched {
  provider: string
  person: SocialPerson
}

/**
 * Signs somebody in whom a provider vouched for: the member whose identity it is, else the caller's guest becomes a member
 * with it. Nobody gets into an account by its e-mail alone (docs/decisions, "Social identities are linked by their
 * owner").
 * @returns undefined once the caller is signed in, or why not
 * @throws Refusal from `signInAs`
 */
export async function signInPerson(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  { provider, person }: Vouched,
): Promise<SocialAnswer | undefined> {
  const owner = await selectOwner(tx, person)
  if (owner === undefined) {
    const email = usableEmail(person.email)
    if (email !== undefined && (await selectUserByEmail(tx, email))) return 'has_account'
    return becomeMember(context, tx, { ...call, viewer: call.viewer ?? newGuest() }, { provider, person })
  }
  await signInAs(context, tx, call, owner)
  return undefined
}

async function becomeMember(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  { provider, person }: Vouched,
): Promise<SocialAnswer | undefined> {
  const userId = await keepViewer(context, tx, call)
  const { issuer, subject } = person
  const now = context.clock.now()
  const identity = { issuer, subject, provider, user_id: userId, created_at: now }
  // Another tab may have come back a moment before.
  if (!(await insertIdentity(tx, identity))) return signInPerson(context, tx, call, { provider, person })
  const known = await selectUser(tx, userId)
  const email = usableEmail(person.email)
  await updateUser(tx, userId, {
    ...(email === undefined ? {} : { email, email_verified_at: now }),
    display_name: known?.display_name ?? usableName(person.name),
  })
  await signInAs(context, tx, call, userId)
  return undefined
}

/**
 * Gives an identity to the member who asked for it.
 * @returns undefined once it is theirs, or why not
 * @throws Refusal signInFirst where the account is gone
 */
export async function linkPerson(
  context: MembersContext,
  tx: Tx,
  call: AccountCall,
  { provider, person: { issuer, subject } }: Vouched,
): Promise<SocialAnswer | undefined> {
  const userId = await keepViewer(context, tx, call)
  const created_at = context.clock.now()
  if (await insertIdentity(tx, { issuer, subject, provider, user_id: userId, created_at })) return undefined
  return (await selectOwner(tx, { issuer, subject })) === userId ? undefined : 'taken'
}

function usableEmail(email: string | undefined): string | undefined {
  if (email === undefined || email.includes('\0') || !email.isWellFormed()) return undefined
  try {
    checkEmail(email)
    return email
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** A provider's name of somebody within our own bounds (product.md, section 6). */
function usableName(name = ''): string | null {
  const clean = name.toWellFormed().replaceAll('\0', '').trim()
  return [...clean].slice(0, 64).join('').trim() || null
}
