import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** Free space needed, in bytes: about four times the databases, media and browser profiles of a complete test run. */
const neededBytes = 4 * 1024 ** 3

/**
 * Returns the folder for the tests' temporary files. It is in memory if there is enough space and programs can run from
 * there, because cloning a database is ten times faster than on a disk. TMPDIR takes precedence.
 */
export function fastTempDir() {
  if (process.env['TMPDIR'] !== undefined || !existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= neededBytes && runsPrograms(memory) ? memory : tmpdir()
}

/** Returns whether programs can run from a folder; they cannot if it is mounted with noexec. */
function runsPrograms(dir) {
  try {
    const home = mkdtempSync(join(dir, 'cliffhanger-probe-'))
    try {
      const program = join(home, 'probe')
      writeFileSync(program, '#!/bin/sh\nexit 0\n')
      chmodSync(program, 0o700)
      return spawnSync(program, { timeout: 5000 }).status === 0
    } finally {
      rmSync(home, { recursive: true })
    }
  } catch {
    return false
  }
}
