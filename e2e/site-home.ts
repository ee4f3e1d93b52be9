import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sitePort } from './site-url.ts'

/** Where the browser tests' site notes its data directory, for what an operator does beside it. */
const note = join(tmpdir(), `cliffhanger-e2e-${sitePort}.txt`)

export const noteDataDir = (folder: string): void => writeFileSync(note, folder)

export const dataDir = (): string => readFileSync(note, 'utf8')

/** Runs one of the operator's commands for the browser tests' site. @returns what it printed */
export async function runCommand(...args: string[]): Promise<string> {
  const own = { DATA_DIR: dataDir(), PORT: String(sitePort), DEMO: '0' }
  const { stdout } = await promisify(execFile)(process.execPath, ['server/cli.ts', ...args], {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, ...own },
  })
  return stdout
}
