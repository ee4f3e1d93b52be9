import type { changeSecondFactor as changeSecondFactorCall } from '#contract/members.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Call } from '#server/platform/http/route.ts'
import { deleteFailures } from '#server/features/members/credentials/attempt-queries.ts'
import { auditCall } from '#server/features/members/audit-call.ts'
import { throttleLogin } from '#server/features/members/credentials/login-throttle.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import {
  lockReauthenticated,
  reauthenticate,
  requireMember,
  type MemberViewer,
} from '#server/features/members/credentials/reauthenticate.ts'
import { lockUser } from '#server/features/members/queries.ts'
import {
  beginSecondFactor,
  checkSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
} from './second-factor.ts'
import { sendSecurityMail } from '#server/features/members/credentials/security-mails.ts'

type FactorCall = Call<typeof changeSecondFactorCall>
type Changed = ResultOf<typeof changeSecondFactorCall>

/**
 * Sets up, confirms or removes a member's second factor. Setting up and removing require the password, removing also a code; wrong
 * ones count as failed attempts.
 * @throws Refusal signInFirst, passwordWrong and codeWrong with the field, movedOn if there is nothing to confirm or a factor
 * already; Fault tooMany
 */
export function changeSecondFactor(context: MembersContext, call: FactorCall): Promise<Changed> {
  const member = requireMember(call)
  return { begin, confirm, remove }[call.body.action](context, call, member)
}

async function begin(context: MembersContext, call: FactorCall, member: MemberViewer): Promise<Changed> {
  const proof = await reauthenticate(context, member, passwordOf(call))
  return inTransaction(context.db, async (tx) => {
    const user = await lockReauthenticated(context, tx, proof)
    return { enabled: false, ...(await beginSecondFactor(tx, context, user)) }
  })
}

function confirm(context: MembersContext, call: FactorCall, member: MemberViewer): Promise<Changed> {
  return inTransaction(context.db, async (tx) => {
    const user = await lockUser(tx, member.userId)
    if (!user || user.deleted_at) throw new Refusal('signInFirst')
    const recovery_codes = await confirmSecondFactor(tx, context, user, call.body.code ?? '')
    await auditCall(context, tx, call, 'second_factor_on', user.id)
    await sendSecurityMail(tx, context, user, 'secondFactorOn')
    return { enabled: true, recovery_codes }
  })
}

async function remove(context: MembersContext, call: FactorCall, member: MemberViewer): Promise<Changed> {
  const proof = await reauthenticate(context, member, passwordOf(call))
  const tried = await throttleLogin(context, 'code', member.userId)
  return inTransaction(context.db, async (tx) => {
    const user = await lockReauthenticated(context, tx, proof)
    // An empty code counts as wrong here: the form asks for it.
    await checkSecondFactor(tx, context, user, call.body.code?.trim() || '-', 'code')
    await removeSecondFactor(tx, user.id)
    await deleteFailures(tx, tried.account)
    await auditCall(context, tx, call, 'second_factor_off', user.id)
    await sendSecurityMail(tx, context, user, 'secondFactorOff')
    return { enabled: false }
  })
}

const passwordOf = ({ body: { current_password } }: FactorCall) =>
  current_password === undefined ? {} : { current_password }
