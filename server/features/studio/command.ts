import { Refusal } from '#contract/errors.ts'
import type { AnswerOf, BodyOf, QueryOf } from '#contract/endpoint.ts'
import type { Language } from '#contract/languages.ts'
import type { CommandEndpoint, Role } from '#contract/studio/command.ts'
import type { ActingCommand, WrittenCommand } from '#contract/studio/audit-events.ts'
import { originOf, writeAudit } from '#server/platform/database/audit.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { ReceivedBytes } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { StudioContext } from './studio-context.ts'

/** Who gives a command, and from where. */
export interface Actor {
  role: Role
  /** Undefined for the command line, whose user has the machine anyway. */
  operator?: { id: string; email: string }
  language: Language
  ip?: string
}

/** What a command was given, by its schemas. */
export type InputOf<E extends CommandEndpoint> = QueryOf<E> & BodyOf<E>

/**
 * What the audit trail keeps of a change: what it was done to, and how that was before and after; only one of both where
 * something was made or deleted.
 */
export type Change = { subject: string } & (
  | { before: unknown; after?: unknown }
  | { before?: unknown; after: unknown }
)

/** One command of the studio, for the page and the command line alike. */
export interface Command {
  endpoint: CommandEndpoint
  run(context: StudioContext, actor: Actor, input: object): Promise<{ info: unknown } | { data: unknown }>
}

/** A command that the audit trail has a line of, for which contract/studio/audit-events.ts has to name it. */
interface Written<Words extends WrittenCommand = WrittenCommand> extends CommandEndpoint {
  command: Words
}

type Answer<E extends CommandEndpoint> = Promise<AnswerOf<E>>

/** A command that only looks. */
export function reads<E extends CommandEndpoint>(
  endpoint: E,
  run: (context: StudioContext, input: InputOf<E>, actor: Actor) => Answer<E>,
): Command {
  return {
    endpoint,
    // The schemas of `endpoint` have validated the input by then.
    run: (context, actor, input) => run(context, input as InputOf<E>, actor),
  }
}

/**
 * A command that changes the database alone: its change and the line in the audit trail are one transaction, so that
 * neither is there without the other. `change` is null if nothing was changed, as by a call that is sent again.
 */
export function changes<E extends Written>(
  endpoint: E,
  run: (
    context: StudioContext,
    tx: Tx,
    input: InputOf<E>,
    actor: Actor,
  ) => Promise<{ answer: AnswerOf<E>; change: Change | null }>,
): Command {
  return {
    endpoint,
    run: (context, actor, input) =>
      inTransaction(context.db, async (tx) => {
        // As in `reads`.
        const { answer, change } = await run(context, tx, input as InputOf<E>, actor)
        if (change) await writeDown(context, tx, endpoint, actor, change)
        return answer
      }),
  }
}

/**
 * A command that turns to others too (a gateway, the disk), whose work is no single transaction: that it was asked for is
 * written down before anything happens, and what came of it afterwards.
 */
export function acts<E extends Written<ActingCommand>>(
  endpoint: E,
  subjectOf: (input: InputOf<E>) => string,
  run: (
    context: StudioContext,
    input: InputOf<E>,
    actor: Actor,
  ) => Promise<{ answer: AnswerOf<E>; change: Change }>,
): Command {
  return {
    endpoint,
    async run(context, actor, given) {
      // As in `reads`.
      const input = given as InputOf<E>
      await writeDown(context, context.db, endpoint, actor, {
        subject: subjectOf(input),
        before: { asked: input },
      })
      const { answer, change } = await run(context, input, actor)
      await writeDown(context, context.db, endpoint, actor, change)
      return answer
    },
  }
}

/**
 * Runs a command for somebody, if their role allows it.
 * @throws Refusal notAllowed, and what the command throws
 */
export async function perform(
  command: Command,
  context: StudioContext,
  actor: Actor,
  input: object,
): Promise<{ info: unknown } | { data: unknown }> {
  if (!command.endpoint.roles.includes(actor.role)) throw new Refusal('notAllowed')
  return command.run(context, actor, input)
}

/** Writes down in the audit trail what a command, or bytes sent to the studio, changed. */
export function writeDown(
  { clock, secret }: StudioContext,
  db: Db,
  { command }: Pick<Written, 'command'>,
  { operator, ip }: Pick<Actor | ReceivedBytes, 'operator' | 'ip'>,
  { subject, ...details }: Change,
): Promise<void> {
  return writeAudit(db, {
    event: `studio ${command}`,
    userId: null,
    at: clock.now(),
    subject,
    details,
    ...(operator ? { operator: operator.email } : {}),
    ...(ip === undefined ? {} : { origin: originOf(secret, ip) }),
  })
}
