import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boundToUs } from '#scripts/run-child.mjs'
import { answersAt, waitUntil } from '#server/testing/wait-until.ts'

const folder = import.meta.dirname
const checksWithinMs = 30_000
const startsWithinMs = 60_000

/** Runs one of Prometheus's tools on files of this folder. @returns what it printed, and its exit status */
export function runTool(
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

/** Starts Prometheus with our configuration, reading one process of a site each second instead. */
export async function runPrometheus(
  target: string,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-prometheus-'))
  const config = readFileSync(join(folder, 'prometheus', 'prometheus.yml'), 'utf8')
    .replaceAll('15s', '1s')
    .replace('rules.yml', join(folder, 'prometheus', 'rules.yml'))
    .replace("['web:9464', 'worker:9464']", `['${target}']`)
  writeFileSync(join(home, 'prometheus.yml'), config)
  const args = [
    `--config.file=${join(home, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(home, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=error',
  ]
  const child = spawn(...boundToUs('prometheus', args), { stdio: ['ignore', 'ignore', 'ignore'] })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await waitUntil('Prometheus is ready', () => answersAt(`${url}/-/ready`), startsWithinMs)
  return {
    url,
    async close() {
      child.kill()
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}
