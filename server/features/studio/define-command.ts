import { Refusal } from '#contract/errors.ts'
import type { ResponseOf, BodyOf, QueryOf } from '#contract/endpoint.ts'
import type { Language } from '#contract/languages.ts'
import type { CommandEndpoint } from '#contract/studio/command.ts'
import { isAllowed, type Role } from '#contract/studio/roles.ts'
import type { MultiTransactionCommand, AuditedCommand } from '#contract/studio/audit-events.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import type { StudioContext } from './studio-context.ts'
import { auditCommand, type Change } from './write-audit-log.ts'

/** The actor who runs a command, and the origin of the call. */
export interface Actor {
  role: Role
  /**
   * The operator. Undefined for the command line, whose user has access to the server and needs no operator account.
   */
  operator?: { id: string; email: string }
  language: Language
  ip?: string
}

/** Input of a command: its query and body parameters. */
export type InputOf<E extends CommandEndpoint> = QueryOf<E> & BodyOf<E>

/** A command of the studio. The pages and the command line both use it. */
export interface Command {
  endpoint: CommandEndpoint
  run(context: StudioContext, actor: Actor, input: object): Promise<{ info: unknown } | { data: unknown }>
}

/**
 * An endpoint whose command is written to the audit log. Its name must be listed in contract/studio/audit-events.ts.
 */
interface AuditedEndpoint<Name extends AuditedCommand = AuditedCommand> extends CommandEndpoint {
  command: Name
}

type CommandResult<E extends CommandEndpoint> = Promise<ResponseOf<E>>

/** Defines a command that only reads. */
export function readCommand<E extends CommandEndpoint>(
  endpoint: E,
  run: (context: StudioContext, input: InputOf<E>, actor: Actor) => CommandResult<E>,
): Command {
  return {
    endpoint,
    // The cast is safe: the caller has validated the input against the schemas of `endpoint`.
    run: (context, actor, input) => run(context, input as InputOf<E>, actor),
  }
}

/**
 * Defines a command that changes only the database. The change and its audit-log entry are one transaction, so that
 * neither exists without the other. `change` is null if nothing was changed, for example by a repeated call.
 */
export function transactionalCommand<E extends AuditedEndpoint>(
  endpoint: E,
  run: (
    context: StudioContext,
    tx: Tx,
    input: InputOf<E>,
    actor: Actor,
  ) => Promise<{ answer: ResponseOf<E>; change: Change | null }>,
): Command {
  return {
    endpoint,
    run: (context, actor, input) =>
      inTransaction(context.db, async (tx) => {
        // The cast is safe, as in `readCommand`.
        const { answer, change } = await run(context, tx, input as InputOf<E>, actor)
        if (change) await auditCommand(context, tx, endpoint, actor, change)
        return answer
      }),
  }
}

/**
 * Defines a command that cannot be one transaction, for example because it calls a gateway. Writes one audit-log entry
 * before the command runs, and another with the result.
 */
export function externalCommand<E extends AuditedEndpoint<MultiTransactionCommand>>(
  endpoint: E,
  subjectOf: (input: InputOf<E>) => string,
  run: (
    context: StudioContext,
    input: InputOf<E>,
    actor: Actor,
  ) => Promise<{ answer: ResponseOf<E>; change: Change }>,
): Command {
  return {
    endpoint,
    async run(context, actor, rawInput) {
      // The cast is safe, as in `readCommand`.
      const input = rawInput as InputOf<E>
      await auditCommand(context, context.db, endpoint, actor, {
        subject: subjectOf(input),
        before: { asked: input },
      })
      const { answer, change } = await run(context, input, actor)
      await auditCommand(context, context.db, endpoint, actor, change)
      return answer
    },
  }
}

/**
 * Runs a command if the actor's role allows it.
 * @throws Refusal notAllowed, and the errors of the command
 */
export async function runCommand(
  command: Command,
  context: StudioContext,
  actor: Actor,
  input: object,
): Promise<{ info: unknown } | { data: unknown }> {
  if (!isAllowed(actor.role, command.endpoint)) throw new Refusal('notAllowed')
  return command.run(context, actor, input)
}
