import { mkdirSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAlive, thisProcess } from '#server/platform/processes/lock-file.ts'
import type { Storage } from '#server/platform/storage/storage.ts'

const prefix = 'process-'

/**
 * Creates this process's folder for unfinished files and returns its path. The
 * files are useless once the process has ended.
 */
export function ownWorkFolder(storage: Storage): string {
  const { pid, started } = thisProcess()
  const folder = join(storage.workDir, `${prefix}${pid}-${Buffer.from(started).toString('base64url')}`)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Removes the unfinished files of ended processes. */
export async function purgeWorkFolders(storage: Storage): Promise<void> {
  for (const name of await readdir(storage.workDir)) {
    const [, pid, started] = /^process-(\d+)-([\w-]*)$/.exec(name) ?? []
    if (pid === undefined || started === undefined) continue
    const owner = { pid: Number(pid), started: Buffer.from(started, 'base64url').toString(), note: '' }
    if (!isAlive(owner)) await rm(join(storage.workDir, name), { recursive: true, force: true })
  }
}
