import {
  acceptInvitation as acceptCall,
  beginInvitation as beginCall,
  closeStudioSession,
  getStudioSession,
  openStudioSession,
  type StudioSession,
} from '#contract/studio/operators.ts'
import { Refusal } from '#contract/errors.ts'
import { exportOrders } from '#contract/studio/orders.ts'
import { getBackupCommands } from '#contract/studio/system.ts'
import {
  operatorRoute,
  type PlainRoute,
  type Operator,
  type OperatorCall,
  type OperatorRoute,
} from '#server/platform/http/route.ts'
import { commandLineOf } from '#scripts/command-line-of.mjs'
import { acceptInvitation, openInvitation } from './operators/invitations.ts'
import { runCommand, type Command } from './define-command.ts'
import { exportOrdersRoute } from './export-orders-route.ts'
import { endSession } from './operators/operator-sessions.ts'
import { auditSignIn, signIn } from './operators/sign-in.ts'
import type { StudioContext } from './studio-context.ts'
import { studioCommands } from './studio.ts'

/** Returns the routes of the operators' sign-in, and one route for each command. */
export function studioRoutes(context: StudioContext): OperatorRoute[] {
  const toStudioSession = ({ id, email, role }: Operator): StudioSession => ({
    operator: { id, email, role },
    site: context.operator.site,
    sandbox: context.sandboxOffered,
  })
  return [
    operatorRoute(getStudioSession, async (call) => ({ info: toStudioSession(requireOperator(call)) })),
    operatorRoute(openStudioSession, async (call) => ({
      info: toStudioSession(await signIn(context, call)),
    })),
    operatorRoute(closeStudioSession, async (call) => {
      const operator = requireOperator(call)
      const ended = await endSession(context, call, operator, call.body.everywhere === true)
      await auditSignIn(context, context.db, call, 'operator_signed_out', operator.email)
      return { info: { ended } }
    }),
    operatorRoute(beginCall, async (call) => ({ info: await openInvitation(context, call.body.secret) })),
    operatorRoute(acceptCall, async (call) => {
      const { operator, recoveryCodes } = await acceptInvitation(context, call)
      return { info: { session: toStudioSession(operator), recovery_codes: recoveryCodes } }
    }),
    operatorRoute(getBackupCommands, async (call) => {
      requireOperator(call)
      const folder = '/path/to/a/folder'
      return {
        info: { backup: commandLineOf('backup', folder), restore: commandLineOf('restore', folder) },
      }
    }),
    ...studioCommands.map((command) => commandRoute(context, command)),
  ]
}

/** Returns the routes of the studio's downloads. */
export function studioPlainRoutes(context: StudioContext): PlainRoute[] {
  return studioCommands
    .filter(({ endpoint }) => endpoint === exportOrders)
    .map((command) => exportOrdersRoute(context, command))
}

function commandRoute(context: StudioContext, command: Command): OperatorRoute {
  return {
    endpoint: command.endpoint,
    handle(call) {
      const operator = requireOperator(call)
      const { language, ip } = call
      const actor = { role: operator.role, operator, language, ip }
      return runCommand(command, context, actor, { ...call.query, ...call.body })
    },
  }
}

/**
 * Returns the operator of a call.
 * @throws Refusal signInRequired if no operator is signed in
 */
function requireOperator(call: Pick<OperatorCall, 'operator'>): Operator {
  if (!call.operator) throw new Refusal('signInRequired')
  return call.operator
}
