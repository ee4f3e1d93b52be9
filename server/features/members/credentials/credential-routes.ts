import * as calls from '#contract/members.ts'
import { route, type Route } from '#server/platform/http/route.ts'
import { changeSecondFactor } from './second-factor/change-second-factor.ts'
import type { MembersContext } from '#server/features/members/members-context.ts'
import { requestPasswordReset, resetPassword } from './passwords/reset-password.ts'
import { verifyEmail } from './verify-email.ts'

/** Routes for mailed links and the second factor. */
export function credentialRoutes(context: MembersContext): Route[] {
  return [
    route(calls.requestPasswordReset, async (call) => {
      await requestPasswordReset(context, call)
      return { info: { sent: true } }
    }),
    route(calls.resetPassword, async (call) => {
      await resetPassword(context, call)
      return { info: { changed: true } }
    }),
    route(calls.verifyEmail, async (call) => ({ info: await verifyEmail(context, call) })),
    route(calls.changeSecondFactor, async (call) => ({ info: await changeSecondFactor(context, call) })),
  ]
}
