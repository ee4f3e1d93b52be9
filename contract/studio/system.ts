import { Type, type Static } from 'typebox'
import { Id, Time, listOf, nullable, oneOf, paging } from '#contract/shapes.ts'
import { command, roles } from './command.ts'

/**
 * Why a health check failed: a time-out; an error; almost no space is left; overdue mails; failing jobs; no activity of a
 * worker for minutes; a gateway's webhook that does not send every event that is needed.
 */
export const problems = [
  'noAnswer',
  'refused',
  'full',
  'mailsWait',
  'jobsFail',
  'workerAway',
  'eventsMissing',
] as const

/** The last health check of a part of the site. */
export const Part = Type.Object({
  /** `database`, `jobs`, `storage`, `mail`, or `gateway` and its name. */
  part: Type.String(),
  problem: nullable(oneOf(problems)),
  /** The error message of the program or server, to search for. */
  detail: nullable(Type.String()),
  /** When the result last changed. */
  since: Time,
  checked_at: Time,
})
export type Part = Static<typeof Part>

const Health = Type.Object({ list: Type.Array(Part) })

export const showHealth = command({
  method: 'GET',
  path: '/api/studio/system/health',
  command: 'health show',
  roles,
  summary: 'Shows the last health checks, run each minute: what is wrong, and since when',
  refuses: [],
  data: Health,
})

export const checkHealth = command({
  method: 'POST',
  path: '/api/studio/system/health',
  command: 'health check',
  roles: ['owner', 'editor', 'support'],
  summary: 'Runs the health checks now, a few seconds each at most',
  refuses: [],
  body: Type.Object({}),
  data: Health,
})

export const ScheduledJob = Type.Object({
  name: Type.String(),
  every_seconds: Type.Integer(),
  /** `failing`: the last run failed; `late`: not run for long; `wanted`: an operator requested a run; else `well`. */
  state: oneOf(['well', 'failing', 'late', 'wanted']),
  succeeded_at: nullable(Time),
  failing_since: nullable(Time),
  /** Consecutive failures. */
  failures: Type.Integer(),
  reason: nullable(Type.String()),
})
export type ScheduledJob = Static<typeof ScheduledJob>

export const listJobs = command({
  method: 'GET',
  path: '/api/studio/system/jobs',
  command: 'job list',
  roles,
  summary: 'Lists the scheduled jobs, failing ones first',
  refuses: [],
  data: Type.Object({ list: Type.Array(ScheduledJob) }),
})

export const runJob = command({
  method: 'POST',
  path: '/api/studio/system/jobs/run',
  command: 'job run',
  args: ['name'],
  roles: ['owner', 'editor', 'support'],
  summary: 'Runs a scheduled job now',
  refuses: ['notFound'],
  body: Type.Object({ name: Type.String({ maxLength: 100 }) }),
  info: ScheduledJob,
})

/** A file that could not be processed. */
export const FailedFile = Type.Object({
  id: Id,
  source_name: Type.String(),
  reason: Type.String(),
  failed_at: Time,
  /** The episode that the file is for. */
  episode: Type.Object({ id: Id, number: Type.Integer(), video_id: Id, video_title: Type.String() }),
})
export type FailedFile = Static<typeof FailedFile>

export const listFailedFiles = command({
  method: 'GET',
  path: '/api/studio/system/files',
  command: 'file failed',
  roles,
  summary: 'Lists failed uploads, newest first, with the reason',
  refuses: [],
  query: Type.Object(paging),
  data: listOf(FailedFile),
})

/** Mails are sent to customers, so that support sees them. */
const helpers = ['owner', 'support'] as const

/** An abandoned mail: its subject, never its text, which may have a link to an account. */
export const AbandonedMail = Type.Object({
  id: Id,
  subject: Type.String(),
  recipient: Type.String(),
  /** Rejected permanently by the mail server; else it was unreachable or deferred the mail for a day. */
  refused: Type.Boolean(),
  /** The technical error message, for owners. */
  reason: nullable(Type.String()),
  tries: Type.Integer(),
  written_at: Time,
  abandoned_at: Time,
})
export type AbandonedMail = Static<typeof AbandonedMail>

export const listAbandonedMails = command({
  method: 'GET',
  path: '/api/studio/system/mails',
  command: 'mail failed',
  roles: helpers,
  summary: 'Lists undelivered e-mails of the last week that are still useful, newest first',
  refuses: [],
  query: Type.Object(paging),
  data: listOf(AbandonedMail),
})

export const retryMail = command({
  method: 'POST',
  path: '/api/studio/system/mails/retry',
  command: 'mail retry',
  args: ['id'],
  roles: helpers,
  summary: 'Resends an undelivered e-mail',
  refuses: ['notFound'],
  body: Type.Object({ id: Id }),
  info: Type.Object({ id: Id }),
})
