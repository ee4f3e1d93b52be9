import type { changeSecondFactor as changeSecondFactorCall } from '#contract/members.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call } from '#server/platform/http/route.ts'
import { deleteLoginFailures } from '#server/features/members/credentials/login-attempt-queries.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { throttleLogin } from '#server/features/members/credentials/login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import {
  lockReauthenticatedUser,
  reauthenticate,
  requireMember,
  type MemberViewer,
} from '#server/features/members/credentials/reauthenticate.ts'
import { lockUser } from '#server/features/members/user-queries.ts'
import {
  startSecondFactorSetup,
  checkSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
} from './second-factor.ts'
import { sendSecurityMail } from '#server/features/members/credentials/security-mails.ts'

type FactorCall = Call<typeof changeSecondFactorCall>
type SecondFactorResult = ResultOf<typeof changeSecondFactorCall>

/**
 * Sets up, confirms or removes a member's second factor. Setting up and removing require reauthentication; removing
 * also requires a code. Wrong passwords count as failed attempts. Wrong codes also count, except in a confirmation.
 * @throws Refusal signInRequired; passwordWrong and codeWrong with the field; editConflict if there is nothing to
 * confirm, or a second factor is already set up; Fault tooManyRequests
 */
export function changeSecondFactor(context: MembersContext, call: FactorCall): Promise<SecondFactorResult> {
  const member = requireMember(call)
  return { start, confirm, remove }[call.body.action](context, call, member)
}

async function start(
  context: MembersContext,
  call: FactorCall,
  member: MemberViewer,
): Promise<SecondFactorResult> {
  const reauthentication = await reauthenticate(context, member, submittedPassword(call))
  return inTransaction(context.db, async (tx) => {
    const user = await lockReauthenticatedUser(context, tx, reauthentication)
    return { enabled: false, ...(await startSecondFactorSetup(tx, context, user)) }
  })
}

function confirm(
  context: MembersContext,
  call: FactorCall,
  member: MemberViewer,
): Promise<SecondFactorResult> {
  return inTransaction(context.db, async (tx) => {
    const user = await lockUser(tx, member.userId)
    if (!user || user.deleted_at) throw new Refusal('signInRequired')
    const recovery_codes = await confirmSecondFactor(tx, context, user, call.body.code ?? '')
    await auditCall(context, tx, call, 'second_factor_enabled', user.id)
    await sendSecurityMail(tx, context, user, 'secondFactorOn')
    return { enabled: true, recovery_codes }
  })
}

async function remove(
  context: MembersContext,
  call: FactorCall,
  member: MemberViewer,
): Promise<SecondFactorResult> {
  const reauthentication = await reauthenticate(context, member, submittedPassword(call))
  const attempt = await throttleLogin(context, 'code', member.userId)
  return inTransaction(context.db, async (tx) => {
    const user = await lockReauthenticatedUser(context, tx, reauthentication)
    // An empty code counts as wrong here, because the form always requests a code.
    await checkSecondFactor(tx, context, user, call.body.code?.trim() || '-', 'code')
    await removeSecondFactor(tx, user.id)
    await deleteLoginFailures(tx, attempt.accountKey)
    await auditCall(context, tx, call, 'second_factor_disabled', user.id)
    await sendSecurityMail(tx, context, user, 'secondFactorOff')
    return { enabled: false }
  })
}

const submittedPassword = ({ body: { current_password } }: FactorCall) =>
  current_password === undefined ? {} : { current_password }
