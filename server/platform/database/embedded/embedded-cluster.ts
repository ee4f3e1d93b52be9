import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { asUser, type RunAs } from './embedded-user.ts'

/** The PostgreSQL release of the cluster directory, and the directory's name. */
export const majorVersion = '18'
export const userName = 'cliffhanger'
export const databaseName = 'cliffhanger'

interface ClusterOptions {
  home: string
  clusterDir: string
  programs: { initdb: string; postgres: string }
  runAs: RunAs | undefined
}

/** Creates a directory that only PostgreSQL's user (and root) may enter. */
export function makePrivateDir(dir: string, runAs: RunAs | undefined): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  chmodSync(dir, 0o700)
  if (runAs) chownSync(dir, runAs.uid, runAs.gid)
}

/**
 * Creates the cluster with its database once, under the start lock. It is created in a temporary directory and renamed
 * when complete, so that a kill leaves no partial cluster.
 * @throws ConfigError if the files there belong to another PostgreSQL release, or this user id has no name
 */
export async function ensureCluster({ home, clusterDir, programs, runAs }: ClusterOptions): Promise<void> {
  const versionFile = join(clusterDir, 'PG_VERSION')
  if (existsSync(versionFile)) {
    const version = readFileSync(versionFile, 'utf8').trim()
    if (version !== majorVersion)
      throw new ConfigError(
        `The database in DATA_DIR was made by PostgreSQL ${version}, but this version of the site uses PostgreSQL ${majorVersion}.`,
      )
    return
  }
  for (const name of readdirSync(home))
    if (name.startsWith('new-')) rmSync(join(home, name), { recursive: true })
  const draft = join(home, `new-${process.pid}`)
  const run = (command: string, args: string[], input = '') =>
    runProgram({ command, args, input, cwd: home, runAs })
  await run(programs.initdb, [
    `--pgdata=${draft}`,
    `--username=${userName}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ])
  await run(programs.postgres, ['--single', '-D', draft, 'postgres'], `CREATE DATABASE ${databaseName}\n`)
  renameSync(draft, clusterDir)
  await syncDir(home)
}

async function syncDir(dir: string): Promise<void> {
  const handle = await open(dir)
  await handle.sync()
  await handle.close()
}

interface Program {
  command: string
  args: string[]
  input: string
  cwd: string
  runAs: RunAs | undefined
}

/** Runs one of PostgreSQL's programs (at most two minutes); fails with its output. */
async function runProgram({ command, args, input, cwd, runAs }: Program): Promise<void> {
  const program = asUser(runAs, command, args)
  const child = spawn(program.command, program.args, {
    ...program.options,
    cwd,
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (output.includes('could not look up effective user ID')) {
    const id = runAs?.uid ?? process.getuid?.()
    throw new ConfigError(
      `PostgreSQL requires a user with a name, and user id ${id} has none: add a line for it to /etc/passwd, start the site as another user, or set DATABASE_URL.`,
    )
  }
  if (status !== 0) throw new Error(`${command} ended with status ${status}: ${output.trim().slice(-2000)}`)
}
