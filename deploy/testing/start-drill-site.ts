import { join } from 'node:path'
import { startWithCleanEnv } from '#deploy/release/run-release.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { unlimited, unlimitedQuotas } from '#server/testing/site/unlimited.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'

const root = join(import.meta.dirname, '..', '..')
const startsWithinMs = 120_000

/** The reserved addresses of a site that is started later. */
export interface SiteAddress {
  url: string
  metricsUrl: string
  /** The settings with which a site listens at these addresses. */
  env: Record<string, string>
}

export async function reserveAddress(): Promise<SiteAddress> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  return {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    env: { PORT: String(port), METRICS_PORT: String(metricsPort) },
  }
}

export interface DrillSite {
  /** Returns whether the process of the site still runs. Nothing restarts it. */
  isRunning(): boolean
  close(): Promise<void>
}

/** Starts a site of this checkout without rate limits, and waits until it is ready. */
export async function startDrillSite(
  address: SiteAddress,
  home: string,
  env: Record<string, string>,
): Promise<DrillSite> {
  const { child, ended, output } = startWithCleanEnv(root, [process.execPath, 'server/main.ts'], {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: join(home, 'data'),
    APP_SECRET: 'a secret of thirty-two characters',
    DEMO: '0',
    ...address.env,
    ...env,
    RATE_LIMIT_API_PER_USER: unlimited,
    RATE_LIMIT_API_PER_IP: unlimited,
    ...unlimitedQuotas,
  })
  const close = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const ready = waitUntil('the site is ready', () => isReachable(`${address.url}/api/ready`), startsWithinMs)
  try {
    await Promise.race([ready, ended.then(() => Promise.reject(new Error(output())))])
  } catch (error) {
    await close()
    throw error
  }
  return { isRunning: () => child.exitCode === null && child.signalCode === null, close }
}

/** Waits until the site reports in its metrics that it reads from a replica (1), or that it does not (0). */
export async function waitForReplicaUse(
  { metricsUrl }: SiteAddress,
  expected: 0 | 1,
  timeoutMs: number,
): Promise<void> {
  const line = new RegExp(`^cliffhanger_read_replica_used\\{.*\\} ${expected}$`, 'm')
  const isReported = async () => line.test(await (await fetch(metricsUrl)).text())
  await waitUntil(`the site ${expected ? 'reads' : 'does not read'} from the replica`, isReported, timeoutMs)
}
