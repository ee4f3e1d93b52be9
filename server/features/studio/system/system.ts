import { Refusal } from '#contract/errors.ts'
import {
  checkHealth,
  listFailedUploads as listFilesCall,
  listAbandonedMails as listMailsCall,
  listJobs,
  retryMail as retryMailCall,
  runJob,
  showHealth,
  type AbandonedMail,
  type ComponentHealth,
  type ScheduledJob,
} from '#contract/studio/system.ts'
import { listFailedFiles } from '#server/features/media/media.ts'
import {
  transactionalCommand,
  readCommand,
  type Actor,
  type Command,
} from '#server/features/studio/define-command.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import type { Job } from '#server/platform/jobs/jobs.ts'
import {
  listAbandonedMails,
  retryMail,
  type AbandonedMailRow,
} from '#server/platform/mail/abandoned-mails.ts'
import type { Db } from '#server/tables.ts'
import { runHealthChecks, type HealthCheckContext } from './health-checks.ts'
import * as queries from './system-queries.ts'
import type { JobRow } from './system-queries.ts'

/**
 * Commands for the site's health: its components, scheduled jobs, files that could not be converted, and mails that
 * could not be sent.
 */
export const systemCommands: Command[] = [
  readCommand(showHealth, async ({ db }, _input, actor) => ({
    data: { list: await loadComponents(db, actor) },
  })),

  readCommand(checkHealth, async (context, _input, actor) => {
    const components = await loadComponents(context.db, actor)
    // Returns the stored findings if they are recent, because checks send requests to external servers.
    const isFresh = components.some(({ checked_at }) => Date.now() - Date.parse(checked_at) < maxCheckAgeMs)
    if (isFresh) return { data: { list: components } }
    await runHealthChecks(context)
    return { data: { list: await loadComponents(context.db, actor) } }
  }),

  readCommand(listJobs, async ({ db }, _input, actor) => ({
    data: { list: (await queries.selectJobs(db)).map((job) => presentJob(job, actor)) },
  })),

  transactionalCommand(runJob, async (_context, tx, { name }, actor) => {
    if (!(await queries.requestJobRun(tx, name))) throw new Refusal('notFound')
    const job = (await queries.selectJobs(tx)).find((each) => each.name === name)
    if (!job) throw new Refusal('notFound')
    const { failures, last_error } = job
    return {
      answer: { info: presentJob(job, actor) },
      change: { subject: `job ${name}`, before: { failures, last_error } },
    }
  }),

  readCommand(listFilesCall, async ({ db }, query, { language }) => ({
    data: await listFailedFiles(db, query, language),
  })),

  readCommand(listMailsCall, async (context, { cursor, limit }, actor) => {
    const paging = { cursor, size: choosePageSize(limit, mailLimits) }
    const { page, next_cursor } = await listAbandonedMails(context.db, context.clock, paging)
    return { data: { list: page.map((mail) => presentMail(context, mail, actor)), next_cursor } }
  }),

  transactionalCommand(retryMailCall, async ({ clock }, tx, { id }) => {
    const mail = await retryMail(tx, id, clock)
    if (!mail) throw new Refusal('notFound')
    // The audit log is permanent, so it must not contain the recipient's address.
    return { answer: { info: { id } }, change: { subject: `mail ${id}`, after: mail } }
  }),
]

/** Returns the job that checks the components each minute, so that the time when a problem began is known. */
export function systemJobs(context: HealthCheckContext): Job[] {
  return [{ name: 'check-health', everySeconds: 60, run: async () => void (await runHealthChecks(context)) }]
}

const mailLimits = { default: 20, max: 50 }

/** Maximum age of recent findings in milliseconds. */
const maxCheckAgeMs = 10_000

/**
 * Returns whether a role sees error messages. Only owners do, because messages of programs and other servers may
 * contain names and addresses.
 */
const seesErrorMessages = ({ role }: Actor) => role === 'owner'

/**
 * Time in milliseconds since the last successful job, after which it is assumed that no worker is running. A worker
 * runs `check-health` each minute.
 */
const workerOfflineAfterMs = 4 * 60_000

/**
 * Loads the findings of the last health check. If no worker is running, adds that problem here, because no worker can
 * report it.
 */
async function loadComponents(db: Db, actor: Actor): Promise<ComponentHealth[]> {
  const [rows, lastRun] = await Promise.all([queries.selectComponents(db), queries.selectLastRun(db)])
  const isStale = Date.now() - (lastRun?.getTime() ?? 0) > workerOfflineAfterMs
  const components = rows.map(({ since, checked_at, ...row }): ComponentHealth => ({
    ...row,
    detail: seesErrorMessages(actor) ? row.detail : null,
    since: since.toISOString(),
    checked_at: checked_at.toISOString(),
  }))
  const jobs = components.find(({ component }) => component === 'jobs')
  if (!isStale || jobs?.problem) return components
  const workerOffline: ComponentHealth = {
    component: 'jobs',
    problem: 'workerOffline',
    detail: null,
    since: (lastRun ?? new Date()).toISOString(),
    checked_at: new Date().toISOString(),
  }
  return [workerOffline, ...components.filter((component) => component !== jobs)]
}

function presentJob(
  { succeeded_at, failing_since, late, run_requested, ...job }: JobRow,
  actor: Actor,
): ScheduledJob {
  return {
    ...job,
    last_error: seesErrorMessages(actor) ? job.last_error : null,
    state: run_requested ? 'requested' : job.failures > 0 ? 'failing' : late ? 'late' : 'ok',
    succeeded_at: succeeded_at?.toISOString() ?? null,
    failing_since: failing_since?.toISOString() ?? null,
  }
}

function presentMail(
  { composeMail }: HealthCheckContext,
  { id, recipient, template, fields, refused, reason, attempts, created_at, abandoned_at }: AbandonedMailRow,
  actor: Actor,
): AbandonedMail {
  return {
    id,
    subject: subjectOf(() => composeMail(template, actor.language, fields).subject) ?? template,
    recipient,
    refused,
    reason: seesErrorMessages(actor) ? reason : null,
    attempts,
    created_at: created_at.toISOString(),
    abandoned_at: abandoned_at.toISOString(),
  }
}

/**
 * Returns a mail's subject. Returns undefined if this release cannot compose the mail, which may be the reason why the
 * mail was abandoned.
 */
function subjectOf(compose: () => string): string | undefined {
  try {
    return compose()
  } catch {
    return undefined
  }
}
