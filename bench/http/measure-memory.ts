import autocannon from 'autocannon'
import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { makeCallCases } from './call-cases.ts'
import { attemptsAt, insertMembers } from './measure-sign-in.ts'
import { runClients } from './run-clients.ts'
import { startSecondProcess } from '#bench/site/start-second-process.ts'
import type { BenchSite } from '#bench/site/start-bench-site.ts'
import { atMostMegabytes, type Row } from '#bench/result-table.ts'

const idleTarget = 120
const loadedTarget = 200
const restMs = 60_000
const loadSeconds = 30
const clients = 32
const lookEveryMs = 500
/** Number of clients that sign in, because password hashing needs additional memory. */
const signingIn = 2

/**
 * Measures the memory of a new HTTP process a minute after its first homepage request. Then measures its peak while 32
 * clients send all requests in turn and others sign in.
 */
export async function measureMemory(site: BenchSite): Promise<Row[]> {
  const cases = await makeCallCases(site)
  const requests = cases.map(({ path, cookie }) => ({ path, headers: { cookie } }))
  await insertMembers(site)
  const { url, pid, close } = await startSecondProcess(site)
  try {
    await fetch(`${url}/`).then((response) => response.text())
    await delay(restMs)
    const idle = residentMegabytes(pid)
    let over = false
    const loading = load(url, requests).finally(() => (over = true))
    const signIns = runClients(signingIn, () => over, attemptsAt({ url }).anyhow)
    let loaded = idle
    while (!over) {
      loaded = Math.max(loaded, residentMegabytes(pid))
      await delay(lookEveryMs)
    }
    const { non2xx, errors } = await loading
    await signIns
    if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed under load`)
    return [
      atMostMegabytes('memory of the HTTP process, idle', idle, idleTarget),
      atMostMegabytes(
        `peak memory of the HTTP process under ${clients} clients and ${signingIn} who sign in`,
        loaded,
        loadedTarget,
      ),
    ]
  } finally {
    await close()
  }
}

async function load(url: string, requests: autocannon.Request[]): Promise<autocannon.Result> {
  return await autocannon({ url, requests, connections: clients, duration: loadSeconds })
}

function residentMegabytes(pid: number): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8', timeout: 2000 })
  return Number(kilobytes.trim()) / 1024
}
