import { Type, type Static } from 'typebox'
import { endpoint } from '#contract/endpoint.ts'
import { Id, Time, pageOf, nullable, stringEnum, pagingFields } from '#contract/schemas.ts'
import { command } from './command.ts'
import { roles } from './roles.ts'

/**
 * The problems that health checks report.
 * - `notResponding`: a component did not respond in time
 * - `refused`: the check of a component failed in another way
 * - `diskFull`: the disk of a component is almost full
 * - `mailsDelayed`: mails wait for a retry or are overdue
 * - `jobsFailing`: the last run of a job failed
 * - `workerOffline`: a job is overdue, or no job has succeeded for four minutes
 * - `webhookEventsMissing`: a gateway's webhook does not send all required events
 */
export const healthProblems = [
  'notResponding',
  'refused',
  'diskFull',
  'mailsDelayed',
  'jobsFailing',
  'workerOffline',
  'webhookEventsMissing',
] as const

/** A component of the site with the result of its last health check. */
export const ComponentHealth = Type.Object({
  /** `database`, `jobs`, `storage`, `mail`, or `gateway` and the gateway's name. */
  component: Type.String(),
  problem: nullable(stringEnum(healthProblems)),
  /** For owners: the technical error message or, if the storage has no problem, its free space. */
  detail: nullable(Type.String()),
  /** The start of the current state. */
  since: Time,
  checked_at: Time,
})
export type ComponentHealth = Static<typeof ComponentHealth>

const Health = Type.Object({ list: Type.Array(ComponentHealth) })

export const showHealth = command({
  method: 'GET',
  path: '/api/studio/system/health',
  command: 'health show',
  roles,
  summary:
    'Shows the results of the last health checks, which run every minute, and the start of each problem',
  refuses: [],
  data: Health,
})

export const checkHealth = command({
  method: 'POST',
  path: '/api/studio/system/health',
  command: 'health check',
  roles: ['owner', 'editor', 'support'],
  summary: 'Runs the health checks, unless they ran in the last 10 seconds; each takes a few seconds at most',
  refuses: [],
  body: Type.Object({}),
  data: Health,
})

export const ScheduledJob = Type.Object({
  name: Type.String(),
  interval_seconds: Type.Integer(),
  /** `failing`: the last run failed; `late`: overdue; `requested`: by an operator; `ok`: succeeded or not yet run. */
  state: stringEnum(['ok', 'failing', 'late', 'requested']),
  succeeded_at: nullable(Time),
  failing_since: nullable(Time),
  /** The number of consecutive failures. */
  failures: Type.Integer(),
  last_error: nullable(Type.String()),
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

/** An upload that could not be converted. */
export const FailedUpload = Type.Object({
  id: Id,
  source_name: Type.String(),
  reason: Type.String(),
  failed_at: Time,
  /** The episode of the upload. */
  episode: Type.Object({ id: Id, number: Type.Integer(), video_id: Id, video_title: Type.String() }),
})
export type FailedUpload = Static<typeof FailedUpload>

export const listFailedUploads = command({
  method: 'GET',
  path: '/api/studio/system/files',
  command: 'upload list-failed',
  roles,
  summary: 'Lists failed uploads, newest first, with the reason',
  refuses: [],
  query: Type.Object(pagingFields),
  data: pageOf(FailedUpload),
})

/** Mails are personal data, so only the owner and support see them. */
const supportRoles = ['owner', 'support'] as const

/** An abandoned mail. It has the subject, but never the text, because the text may contain a secret for an account. */
export const AbandonedMail = Type.Object({
  id: Id,
  subject: Type.String(),
  recipient: Type.String(),
  /**
   * True if the mail server rejected the mail permanently. False if all attempts within a day failed for other reasons:
   * the server was unreachable or deferred the mail, or the site's release cannot compose it.
   */
  refused: Type.Boolean(),
  /** The technical error message, for owners. */
  reason: nullable(Type.String()),
  attempts: Type.Integer(),
  created_at: Time,
  abandoned_at: Time,
})
export type AbandonedMail = Static<typeof AbandonedMail>

export const listAbandonedMails = command({
  method: 'GET',
  path: '/api/studio/system/mails',
  command: 'mail list-abandoned',
  roles: supportRoles,
  summary: 'Lists abandoned e-mails of the last week that have not expired, newest first',
  refuses: [],
  query: Type.Object(pagingFields),
  data: pageOf(AbandonedMail),
})

export const retryMail = command({
  method: 'POST',
  path: '/api/studio/system/mails/retry',
  command: 'mail retry',
  args: ['id'],
  roles: supportRoles,
  summary: 'Resends an abandoned e-mail',
  refuses: ['notFound'],
  body: Type.Object({ id: Id }),
  info: Type.Object({ id: Id }),
})

export const getBackupCommands = endpoint({
  method: 'GET',
  path: '/api/studio/system/backup',
  summary: 'Returns the command lines that back up and restore the site',
  refuses: ['signInRequired'],
  info: Type.Object({ backup: Type.String(), restore: Type.String() }),
})
