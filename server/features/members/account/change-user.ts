import type { changeUser as changeUserCall } from '#contract/members.ts'
import { Refusal } from '#contract/errors.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call, Viewer } from '#server/platform/http/route.ts'
import type { Tx } from '#server/tables.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { checkName } from '#server/features/members/credentials/check-profile.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { ensureUserRow, requireActiveViewer } from '#server/features/members/sessions/viewer.ts'
import { updateUser } from '#server/features/members/user-queries.ts'
import { changeCredentials } from './change-credentials.ts'

type Change = BodyOf<typeof changeUserCall>
type ChangeCall = Call<typeof changeUserCall>

/** Version of the marketing consent's text. It must change together with the text. */
const consentVersion = '2026-11'

/**
 * Changes a user's profile, and a member's e-mail address and password (`changeCredentials`).
 * @returns the new viewer
 * @throws Refusal nameInvalid, languageUnknown, emailInvalid, emailTaken, the password's rules and passwordWrong, with
 * the field; Refusal signInRequired if a guest changes e-mail or password
 */
export async function changeUser(context: MembersContext, call: ChangeCall): Promise<Viewer> {
  const profile = checkProfile(context, call.body)
  const { email, new_password } = call.body
  if (email !== undefined || new_password !== undefined)
    return changeCredentials(context, call, (tx, deferredCall, id) =>
      updateProfile(context, tx, deferredCall, id, profile),
    )
  // No row is created, because there is nothing to store.
  if (Object.values(profile).every((value) => value === undefined)) return requireActiveViewer(context, call)
  const userId = await inTransaction(context.db, async (tx) => {
    const id = await ensureUserRow(context, tx, call)
    await updateProfile(context, tx, call, id, profile)
    return id
  })
  return { role: 'visitor', ...call.viewer, userId, isStored: true }
}

interface ProfileChanges {
  display_name: string | undefined
  language: string | undefined
  marketing: boolean | undefined
}

function checkProfile(
  { languages }: MembersContext,
  { display_name, language, consent }: Change,
): ProfileChanges {
  if (language !== undefined && !languages().some((offered) => offered === language))
    throw new Refusal('languageUnknown', { field: 'language' })
  const name = display_name === undefined ? undefined : checkName(display_name, 'display_name')
  return { display_name: name, language, marketing: consent?.marketing }
}

async function updateProfile(
  context: MembersContext,
  tx: Tx,
  call: ChangeCall,
  id: string,
  { display_name, language, marketing }: ProfileChanges,
): Promise<void> {
  await updateUser(tx, id, { display_name, language })
  if (marketing === undefined) return
  await updateUser(tx, id, {
    consent_marketing: marketing,
    consent_at: context.clock.now(),
    consent_version: consentVersion,
  })
  await auditCall(context, tx, call, 'consent_changed', id, { marketing, version: consentVersion })
  for (const runHook of context.lifecycleHooks.consent) await runHook(tx, id, marketing, call.adIds())
}
