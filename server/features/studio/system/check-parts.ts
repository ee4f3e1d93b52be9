import type { Part } from '#contract/studio/system.ts'
import { redactGatewayError, type PaymentGateway } from '#server/features/billing/billing.ts'
import { freeBytes } from '#server/platform/processes/disk-guard.ts'
import type { Bounds } from '#server/platform/config/read-bounds.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { MailContext } from '#server/platform/mail/send-mails.ts'
import type { Mailer } from '#server/platform/mail/mailer.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { NoAnswer, withTimeout } from '#server/platform/with-timeout.ts'
import type { Db } from '#server/tables.ts'
import * as queries from './system-queries.ts'
import type { Finding } from './system-queries.ts'

/** Dependencies of the check of the parts. */
export interface RunningContext {
  db: Db
  clock: Clock
  storage: Storage
  bounds: Bounds
  mailer: Mailer
  composeMail: MailContext['composeMail']
  gateways: readonly PaymentGateway[]
  /** Time limit of each part's check. */
  healthTimeoutMs?: number
}

/** A fault of a part that did answer. */
class Trouble extends Error {
  readonly problem: NonNullable<Part['problem']>

  constructor(problem: NonNullable<Part['problem']>, detail: string) {
    super(detail)
    this.name = 'Trouble'
    this.problem = problem
  }
}

const usualTimeoutMs = 5000
const longestDetail = 300
/** Minimum free space: below that the next episode may not fit. */
const leastFreeBytes = 2 * 1024 ** 3
/** Outside the files that are backed up and purged. */
const probeKey = 'health/probe'
/** A payment that no gateway has; the response shows that the gateway is reachable and accepts our keys. */
const noPayment = 'pi_none'

/** Checks all parts concurrently, each with a time limit, and stores the findings. */
export async function checkParts(context: RunningContext): Promise<Finding[]> {
  const { gateways, healthTimeoutMs = usualTimeoutMs } = context
  const looks: [string, () => Promise<unknown>][] = [
    ['database', () => queries.touchDatabase(context.db)],
    ['jobs', () => checkJobs(context)],
    ['storage', () => checkStorage(context)],
    ['mail', () => checkMail(context)],
    ...gateways.map((gateway): [string, () => Promise<unknown>] => [
      `gateway ${gateway.id}`,
      () => checkGateway(gateway),
    ]),
  ]
  const findings = await Promise.all(looks.map(([part, look]) => find(part, look, healthTimeoutMs)))
  await queries.putFindings(context.db, findings)
  return findings
}

async function find(part: string, look: () => Promise<unknown>, timeoutMs: number): Promise<Finding> {
  try {
    const found = await withTimeout(timeoutMs, look())
    return { part, problem: null, detail: typeof found === 'string' ? found : null }
  } catch (error) {
    const detail = detailOf(part, error)
    if (error instanceof NoAnswer) return { part, problem: 'noAnswer', detail }
    return { part, problem: error instanceof Trouble ? error.problem : 'refused', detail }
  }
}

/** Returns a failure's detail. A gateway's message may repeat a payment's secret or an address, so only names and codes are kept. */
function detailOf(part: string, error: unknown): string {
  const isOwn = error instanceof NoAnswer || error instanceof Trouble
  if (part.startsWith('gateway ') && !isOwn) return Object.values(redactGatewayError(error)).join(' ').trim()
  return (error instanceof Error ? error.message : String(error)).slice(0, longestDetail)
}

async function checkGateway(gateway: PaymentGateway): Promise<void> {
  await gateway.retrievePayment({ reference: noPayment })
  const missing = (await gateway.missingEvents?.()) ?? []
  if (missing.length > 0) throw new Trouble('eventsMissing', missing.join(', '))
}

async function checkJobs({ db }: RunningContext): Promise<void> {
  const jobs = await queries.selectJobs(db)
  const failing = jobs.filter(({ failures }) => failures > 0).map(({ name }) => name)
  if (failing.length > 0) throw new Trouble('jobsFail', failing.join(', '))
  const late = jobs.filter((job) => job.late).map(({ name }) => name)
  if (late.length > 0) throw new Trouble('workerAway', late.join(', '))
}

/** Writes and reads a file, and checks free space. @returns how much is left */
async function checkStorage({ storage, bounds }: RunningContext): Promise<string> {
  const text = `written at ${new Date().toISOString()}`
  await storage.write(probeKey, text)
  if ((await storage.read(probeKey)).toString() !== text)
    throw new Error('read different content than was written')
  const free = await freeBytes(storage.workDir)
  const room = `${(free / 1024 ** 3).toFixed(1)} GB left in ${storage.workDir}`
  const dropped = free < bounds.leastFreeBytes ? '; analytics events are not recorded' : ''
  if (free < leastFreeBytes || dropped !== '') throw new Trouble('full', room + dropped)
  return room
}

async function checkMail({ db, clock, mailer }: RunningContext): Promise<void> {
  await mailer.check()
  const stuck = await queries.countStuckMails(db, clock.now())
  if (stuck > 0) throw new Trouble('mailsWait', String(stuck))
}
