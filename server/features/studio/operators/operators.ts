import { commandLineOf } from '#scripts/command-line-of.mjs'
import type { Operator } from '#contract/studio/operators.ts'
import {
  addOperator,
  changeOperator,
  listOperators,
  removeOperator,
  resetOperator,
} from '#contract/studio/operators.ts'
import { Refusal } from '#contract/errors.ts'
import type { Role } from '#contract/studio/roles.ts'
import { checkEmail } from '#server/features/members/members.ts'
import { newId } from '#server/platform/ids.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import { createInvitation } from './invitations.ts'
import {
  transactionalCommand,
  readCommand,
  type Actor,
  type Command,
} from '#server/features/studio/define-command.ts'
import * as queries from './operator-queries.ts'
import type { StudioContext } from '#server/features/studio/studio-context.ts'
import { deleteSessions } from './session-queries.ts'

/**
 * Commands for operators: add, change role, reset access, remove. A new site has no account: the owner creates the
 * first one with `npm run studio -- operator add`.
 */
export const operatorCommands: Command[] = [
  readCommand(listOperators, async ({ db }, _input, { role, operator }) => {
    const all = await queries.selectOperators(db)
    const shown = role === 'owner' ? all : all.filter(({ id }) => id === operator?.id)
    return { data: { list: shown.map(present) } }
  }),

  transactionalCommand(addOperator, async (context, tx, { email, role = 'owner' }) => {
    checkEmail(email)
    const id = newId('op')
    const created_at = context.clock.now()
    const added = { id, email, role, ...withoutCredentials }
    if (!(await queries.insertOperator(tx, { ...added, created_at })))
      throw new Refusal('operatorExists', { field: 'email' })
    const info = await createInvitationLink(context, tx, added)
    return { answer: { info }, change: { subject: id, after: { email, role } } }
  }),

  transactionalCommand(changeOperator, async (_context, tx, { email, role }) => {
    const owners = await queries.lockOwners(tx)
    const before = await lockByEmail(tx, email)
    if (role !== 'owner') assertOwnerRemains(owners, before.id)
    await queries.updateOperator(tx, before.id, { role })
    return {
      answer: { info: present({ ...before, role, last_seen_at: null }) },
      change: { subject: before.id, before: { email, role: before.role }, after: { email, role } },
    }
  }),

  transactionalCommand(resetOperator, async (context, tx, { email }, actor) => {
    const operator = await lockByEmail(tx, email)
    if (operator.active_since !== null) await sendResetMail(context, tx, operator.email, actor)
    await queries.updateOperator(tx, operator.id, withoutCredentials)
    await queries.replaceRecoveryCodes(tx, operator.id, [])
    await deleteSessions(tx, operator.id)
    const info = await createInvitationLink(context, tx, { ...operator, ...withoutCredentials })
    return {
      answer: { info },
      change: { subject: operator.id, after: { email: operator.email, reset: true } },
    }
  }),

  transactionalCommand(removeOperator, async (_context, tx, { email }) => {
    const owners = await queries.lockOwners(tx)
    const { id, role } = await lockByEmail(tx, email)
    assertOwnerRemains(owners, id)
    await queries.deleteOperator(tx, id)
    return { answer: { info: { removed: true } }, change: { subject: id, before: { email, role } } }
  }),
]

/** Columns of an operator without credentials, who was just invited or whose access was reset. */
const withoutCredentials = { password_hash: null, encrypted_totp_secret: null, active_since: null }

/** Creates the one-time link with which an operator sets the missing credentials. */
async function createInvitationLink(
  context: StudioContext,
  tx: Tx,
  operator: Omit<OperatorSummary, 'last_seen_at'>,
) {
  const { link, expiresAt } = await createInvitation(context, tx, operator.id)
  return { operator: present({ ...operator, last_seen_at: null }), link, expires_at: expiresAt.toISOString() }
}

/** Sends an operator a mail that names who reset the access, so that the operator can object. */
function sendResetMail({ publicUrl }: StudioContext, tx: Tx, to: string, { operator, language }: Actor) {
  const values = { by: operator?.email ?? commandLineOf('studio'), link: `${publicUrl}/studio` }
  return queueMail(tx, { to, template: 'operatorReset', language, values })
}

/**
 * Locks the operator with an address.
 * @throws Refusal notFound
 */
async function lockByEmail(tx: Tx, email: string) {
  const known = await queries.selectOperatorByEmail(tx, email)
  const operator = known && (await queries.lockOperator(tx, known.id))
  if (!operator) throw new Refusal('notFound')
  return operator
}

/**
 * Checks that another owner remains. If there is an active owner, only active owners count. If there is none, as after
 * a reset of the last owner, an invited owner counts.
 * @throws Refusal lastOwner
 */
function assertOwnerRemains(owners: readonly { id: string; active_since: Date | null }[], id: string): void {
  const active = owners.filter(({ active_since }) => active_since !== null)
  const [first, ...others] = active.length > 0 ? active : owners
  if (first?.id === id && others.length === 0) throw new Refusal('lastOwner')
}

interface OperatorSummary {
  id: string
  email: string
  role: Role
  active_since: Date | null
  last_seen_at: Date | null
}

function present({ id, email, role, active_since, last_seen_at }: OperatorSummary): Operator {
  return {
    id,
    email,
    role,
    active_since: active_since?.toISOString() ?? null,
    last_seen_at: last_seen_at?.toISOString() ?? null,
  }
}
