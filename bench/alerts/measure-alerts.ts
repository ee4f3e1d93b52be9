import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createContext } from '#server/context.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { createEmptyWebRoot } from '#server/testing/site/test-site.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { startReplicatedDatabase } from '#server/testing/database/replicated-database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import type { Tables } from '#server/tables.ts'
import nodeFlags from '#scripts/node-flags.json' with { type: 'json' }
import { boundToUs } from '#scripts/run-child.mjs'
import { mountSmallDisk } from './mount-small-disk.ts'
import { recordAlerts, type AlertRecorder } from './record-alerts.ts'
import { runCheckout } from '#bench/billing/run-checkout.ts'
import { startFakeGateways, type FakeGateways } from '#bench/billing/fake-gateways.ts'
import { waitUntilReachable, benchEnv } from '#bench/site/start-bench-site.ts'
import { printLines } from '#bench/result-table.ts'

const minute = 60_000
const calmMs = minute
const timeoutMs = 25 * minute
const viewEveryMs = 500
const buyEveryMs = 2000
/** Share of the disk that is still free after it has been filled. The alert fires below 10 % (0.1). */
const freeOfFullDisk = 0.05

interface Fault {
  what: string
  /** Names of the alerts that must fire. */
  alerts: readonly string[]
  begin(): void | Promise<void>
  end(): void | Promise<void>
}

/**
 * `npm run bench -- alerts`: starts a site with a worker, a replica and a fake Stripe. Debian's Prometheus and
 * Alertmanager monitor the site with the unmodified files of deploy/observability.
 * Injects faults, and prints the time until each alert fires and its mail arrives. Takes 20 minutes, because one alert
 * needs 15 minutes without a successful payment. Requires root privileges, to mount a small disk. Uses little CPU.
 */
export async function measureAlerts(): Promise<void> {
  /** Functions that close the opened resources, in the order in which the resources were opened. */
  const opened: (() => void | Promise<void>)[] = []
  try {
    await runDrill((close) => void opened.push(close))
  } catch (error) {
    console.error('The measurement of the alerts failed:', error)
    process.exitCode = 1
  } finally {
    await inTurn(opened.toReversed(), async (close) => close())
  }
}

async function runDrill(atEnd: (close: () => void | Promise<void>) => void): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-alerts-'))
  atEnd(() => rmSync(home, { recursive: true, force: true, maxRetries: 10 }))
  const disk = mountSmallDisk(join(home, 'disk'))
  atEnd(disk.close)
  const database = await startReplicatedDatabase(join(home, 'database'))
  atEnd(database.close)
  const [port, webMetrics, workerMetrics] = [await freePort(), await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const fakes = await startFakeGateways(url)
  atEnd(fakes.close)
  const env = {
    ...benchEnv(join(disk.folder, 'data')),
    ...fakes.env,
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.replicaUrl,
    APP_SECRET: 'the secret of a site that things go wrong with',
    PORT: String(port),
  }
  const options = await addEpisodeForSale(env, home)
  const web = runProcess({ ...env, ROLE: 'web', METRICS_PORT: String(webMetrics) })
  atEnd(() => endProcess(web))
  const startWorker = () => runProcess({ ...env, ROLE: 'worker', METRICS_PORT: String(workerMetrics) })
  let worker = startWorker()
  atEnd(() => endProcess(worker))
  await waitUntilReachable(`${url}/api/ready`, web)
  const watch = await recordAlerts([webMetrics, workerMetrics].map((at) => `127.0.0.1:${at}`))
  atEnd(watch.close)
  const closing = new AbortController()
  const shop = { url, fakes, visitor: visitorFactory(url), timeoutMs: buyEveryMs }
  const people = [
    repeatUntilAborted(viewEveryMs, closing.signal, () => fetch(`${url}/api/homepage`)),
    repeatUntilAborted(buyEveryMs, closing.signal, () => runCheckout(shop, options)),
  ]
  atEnd(async () => {
    closing.abort()
    await Promise.all(people)
  })

  const began = Date.now()
  await delay(calmMs)
  const early = watch.firedSince(began)
  if (early.length > 0) throw new Error(`These alerts fired without a fault: ${early.join(', ')}`)
  const faults: Fault[] = [
    {
      what: 'the disk of DATA_DIR is filled',
      alerts: ['DiskFull'],
      begin: () => disk.fill(freeOfFullDisk),
      end: disk.empty,
    },
    {
      what: 'the replica applies no changes',
      alerts: ['ReplicaLag'],
      begin: database.fallBehind,
      end: database.catchUp,
    },
    {
      what: 'the replica is stopped',
      alerts: ['ReplicaLeftOut'],
      begin: database.stopReplica,
      end: database.startReplica,
    },
    {
      what: 'the worker is stopped',
      alerts: ['SiteDown', 'WorkerOffline'],
      begin: () => endProcess(worker),
      end: () => void (worker = startWorker()),
    },
  ]
  const [paying, others] = await Promise.all([
    measureFault(watch, failingStripe(fakes)),
    // Stripe's fault lasts for more than 15 minutes. Meanwhile, the other faults are measured one after the other.
    inTurn(faults, (fault) => measureFault(watch, fault)),
  ])
  printLines([
    ['fault', 'alert', 'fires after', 'mail after', 'resolved after the fault ended'],
    ...paying,
    ...others.flat(),
  ])
  console.log(`Alerts that fired: ${watch.firedSince(began).join(', ')}.`)
}

function failingStripe({ stripe }: FakeGateways): Fault {
  let recover = () => {}
  return {
    what: 'Stripe does not respond to payments',
    alerts: ['PaymentsFail'],
    begin: () => void (recover = stripe.fail('dropped before')),
    end: () => recover(),
  }
}

/**
 * Starts a fault, waits for its alerts and their mails, ends the fault, and waits until the alerts are resolved.
 * @returns a row for each alert
 */
async function measureFault(watch: AlertRecorder, fault: Fault): Promise<string[][]> {
  console.log(`${fault.what} …`)
  const began = Date.now()
  await fault.begin()
  await waitUntil(
    `${fault.alerts.join(' and ')} are mailed (fault: ${fault.what})`,
    () => fault.alerts.every((alert) => watch.msUntil(alert, 'mailed', began) !== undefined),
    timeoutMs,
  )
  const mended = Date.now()
  await fault.end()
  await waitUntil(
    `${fault.alerts.join(' and ')} are resolved`,
    () => fault.alerts.every((alert) => watch.msUntil(alert, 'over', mended) !== undefined),
    timeoutMs,
  )
  const lines = fault.alerts.map((alert) => [
    fault.what,
    alert,
    inSeconds(watch.msUntil(alert, 'firing', began)),
    inSeconds(watch.msUntil(alert, 'mailed', began)),
    inSeconds(watch.msUntil(alert, 'over', mended)),
  ])
  printLines(lines)
  return lines
}

const inSeconds = (ms: number | undefined) => (ms === undefined ? '–' : `${Math.round(ms / 1000)} s`)

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await work(item))
  return results
}

/** Migrates the database and adds an episode with a price. */
async function addEpisodeForSale(env: NodeJS.ProcessEnv, home: string) {
  const config = loadConfig(env)
  const log = createLog({ json: true, level: 'silent' })
  const database = await openDatabase<Tables>({ ...config, migrate: true }, log)
  const context = await createContext(config, log, { database, webRoot: createEmptyWebRoot(home) })
  const video = await buildVideo(context)
  await context.close()
  return {
    kind: 'episode',
    episode_id: video.episodes.at(-1)?.id,
    gateway: 'stripe',
    method: 'card',
  } as const
}

function runProcess(env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(...boundToUs(process.execPath, [...nodeFlags, 'server/main.ts']), {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** Repeats `work` at an interval until `signal` aborts. Ignores its errors. */
async function repeatUntilAborted(
  everyMs: number,
  signal: AbortSignal,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => {})
    await delay(everyMs, undefined, { signal }).catch(() => {})
  }
}
