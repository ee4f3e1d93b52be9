import { randomUUID } from 'node:crypto'
import { formatFreeSpace } from '#contract/studio/free-space.ts'
import type { ComponentHealth } from '#contract/studio/system.ts'
import { redactGatewayError, type PaymentGateway } from '#server/features/billing/billing.ts'
import { freeBytes } from '#server/platform/processes/disk-guard.ts'
import type { ResourceLimits } from '#server/platform/config/read-resource-limits.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { MailContext } from '#server/platform/mail/send-mails.ts'
import type { Mailer } from '#server/platform/mail/mailer.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { TimedOut, withTimeout } from '#server/platform/with-timeout.ts'
import type { Db } from '#server/tables.ts'
import * as queries from './system-queries.ts'
import type { HealthFinding } from './system-queries.ts'

/** Dependencies of the health checks. */
export interface HealthCheckContext {
  db: Db
  clock: Clock
  storage: Storage
  resourceLimits: ResourceLimits
  mailer: Mailer
  composeMail: MailContext['composeMail']
  gateways: readonly PaymentGateway[]
  /** Time limit of each check in milliseconds. */
  healthTimeoutMs?: number
}

/** A problem of a component that responded to its check. */
class ComponentFault extends Error {
  readonly problem: NonNullable<ComponentHealth['problem']>

  constructor(problem: NonNullable<ComponentHealth['problem']>, detail: string) {
    super(detail)
    this.name = 'ComponentFault'
    this.problem = problem
  }
}

const defaultTimeoutMs = 5000
const maxDetailLength = 300
/** Minimum free space on the work disk. With less space, the next episode may not fit. */
const minFreeBytes = 2 * 1024 ** 3
/**
 * Key prefix of test files, outside the folders that are backed up and purged. Each check writes a different file,
 * because several processes may check at the same time.
 */
const probePrefix = 'health/probe-'
/**
 * Id of a payment that does not exist. The gateway's response to it shows that the gateway is reachable and accepts our
 * keys.
 */
const unknownPaymentId = 'pi_none'

/** Checks all components concurrently, each with a time limit, and stores the results. */
export async function runHealthChecks(context: HealthCheckContext): Promise<HealthFinding[]> {
  const { gateways, healthTimeoutMs = defaultTimeoutMs } = context
  const checks: [string, () => Promise<unknown>][] = [
    ['database', () => queries.pingDatabase(context.db)],
    ['jobs', () => checkJobs(context)],
    ['storage', () => checkStorage(context)],
    ['mail', () => checkMail(context)],
    ...gateways.map((gateway): [string, () => Promise<unknown>] => [
      `gateway ${gateway.id}`,
      () => checkGateway(gateway),
    ]),
  ]
  const findings = await Promise.all(
    checks.map(([component, check]) => runCheck(component, check, healthTimeoutMs)),
  )
  await queries.saveFindings(context.db, findings)
  return findings
}

async function runCheck(
  component: string,
  check: () => Promise<unknown>,
  timeoutMs: number,
): Promise<HealthFinding> {
  try {
    const found = await withTimeout(timeoutMs, check())
    return { component, problem: null, detail: typeof found === 'string' ? found : null }
  } catch (error) {
    const detail = detailOf(component, error)
    if (error instanceof TimedOut) return { component, problem: 'notResponding', detail }
    return { component, problem: error instanceof ComponentFault ? error.problem : 'refused', detail }
  }
}

/**
 * Returns the detail of a failure. A gateway's message may contain a payment's secret or an address, so it is replaced
 * by names and codes.
 */
function detailOf(component: string, error: unknown): string {
  const isOwnError = error instanceof TimedOut || error instanceof ComponentFault
  if (component.startsWith('gateway ') && !isOwnError)
    return Object.values(redactGatewayError(error)).join(' ').trim()
  return (error instanceof Error ? error.message : String(error)).slice(0, maxDetailLength)
}

async function checkGateway(gateway: PaymentGateway): Promise<void> {
  await gateway.retrievePayment({ reference: unknownPaymentId })
  const missing = (await gateway.missingWebhookEvents?.()) ?? []
  if (missing.length > 0) throw new ComponentFault('webhookEventsMissing', missing.join(', '))
}

async function checkJobs({ db }: HealthCheckContext): Promise<void> {
  const jobs = await queries.selectJobs(db)
  const failing = jobs.filter(({ failures }) => failures > 0).map(({ name }) => name)
  if (failing.length > 0) throw new ComponentFault('jobsFailing', failing.join(', '))
  const late = jobs.filter((job) => job.late).map(({ name }) => name)
  if (late.length > 0) throw new ComponentFault('workerOffline', late.join(', '))
}

/**
 * Writes and reads a file, and checks the free space.
 * @returns a text with the free space
 */
async function checkStorage({ storage, resourceLimits }: HealthCheckContext): Promise<string> {
  const key = probePrefix + randomUUID()
  try {
    await storage.write(key, key)
    if ((await storage.read(key)).toString() !== key)
      throw new Error('the file that was read differs from the file that was written')
  } finally {
    await storage.remove(key)
  }
  const free = await freeBytes(storage.workDir)
  const eventsRecorded = free >= resourceLimits.minFreeBytes
  const text = formatFreeSpace({ gigabytes: free / 1024 ** 3, folder: storage.workDir, eventsRecorded })
  if (free < minFreeBytes || !eventsRecorded) throw new ComponentFault('diskFull', text)
  return text
}

async function checkMail({ db, clock, mailer }: HealthCheckContext): Promise<void> {
  await mailer.check()
  const stuck = await queries.countStuckMails(db, clock.now())
  if (stuck > 0) throw new ComponentFault('mailsDelayed', String(stuck))
}
