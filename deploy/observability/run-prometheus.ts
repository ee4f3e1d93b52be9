import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boundToUs } from '#scripts/run-child.mjs'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'

const folder = import.meta.dirname
const checksWithinMs = 60_000
const startsWithinMs = 120_000

/** Runs a tool of Prometheus or Alertmanager on files of this folder. @returns its output and exit status */
export function runPrometheusTool(
  program: 'promtool' | 'amtool',
  args: string[],
): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: checksWithinMs,
  })
  return { status, output: stdout + stderr }
}

interface RunningServer {
  url: string
  /** `host:port` */
  address: string
  close(): Promise<void>
}

/**
 * Starts Prometheus with this folder's configuration and rules. It scrapes `targets`, which are the processes of a site.
 * `every` replaces the interval of 15 s at which Prometheus scrapes the processes and evaluates the rules.
 */
export function runPrometheus(options: {
  targets: readonly string[]
  port: number
  every?: string
  alertmanager?: string
}): Promise<RunningServer> {
  const config = read('prometheus/prometheus.yml')
    .replaceAll('15s', options.every ?? '15s')
    .replace('rules.yml', join(folder, 'prometheus', 'rules.yml'))
    .replace("['web:9464', 'worker:9464']", JSON.stringify(options.targets))
    .replace('alertmanager:9093', options.alertmanager ?? 'alertmanager:9093')
  return runServer('prometheus', config, options.port, (home) => [
    `--storage.tsdb.path=${join(home, 'data')}`,
  ])
}

/** Starts Alertmanager with this folder's routes. It sends to a local mail server without TLS. */
export function runAlertmanager({
  smtpPort,
  port,
}: {
  smtpPort: number
  port: number
}): Promise<RunningServer> {
  const config = read('alertmanager.yml')
    .replace('global:\n', 'global:\n  smtp_require_tls: false\n')
    .replace('mail.drama.example:587', `127.0.0.1:${smtpPort}`)
  return runServer('prometheus-alertmanager', config, port, (home) => [
    `--storage.path=${join(home, 'data')}`,
    '--cluster.listen-address=',
  ])
}

const read = (file: string) => readFileSync(join(folder, file), 'utf8')

async function runServer(
  program: string,
  config: string,
  port: number,
  extraArgs: (home: string) => string[],
): Promise<RunningServer> {
  const home = mkdtempSync(join(tmpdir(), `cliffhanger-${program}-`))
  const file = join(home, 'config.yml')
  writeFileSync(file, config)
  const address = `127.0.0.1:${port}`
  const args = [
    `--config.file=${file}`,
    `--web.listen-address=${address}`,
    '--log.level=error',
    ...extraArgs(home),
  ]
  const child = spawn(...boundToUs(program, args), { stdio: ['ignore', 'ignore', 'ignore'] })
  const ended = once(child, 'exit')
  await waitUntil(`${program} is ready`, () => isReachable(`http://${address}/-/ready`), startsWithinMs)
  return {
    url: `http://${address}`,
    address,
    async close() {
      child.kill()
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}
