import { createHash } from 'node:crypto'
import { mkdirSync, readlinkSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { hourMs } from '#server/platform/clock.ts'
import { isAlive, thisProcess } from '#server/platform/processes/lock-file.ts'
import type { Storage } from '#server/platform/storage/storage.ts'

/**
 * Time after which the unchanged folder of another container or host is deleted. A conversion or an import changes a
 * file at least every few minutes.
 */
const abandonedAfterMs = 6 * hourMs

/**
 * Identifies the container or host of this process. Containers and hosts that share the folder number their processes
 * independently, so this process cannot check process ids of the others.
 */
const namespaceId = createHash('sha256').update(`${hostname()} ${pidNamespace()}`).digest('hex').slice(0, 8)

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Only Linux has namespaces.
    return ''
  }
}

/**
 * Creates this process's folder for unfinished files and returns its path. The files are useless once the process has
 * ended.
 */
export function ownWorkFolder(storage: Storage): string {
  const { pid, started } = thisProcess()
  const name = `process-${pid}-${namespaceId}-${Buffer.from(started).toString('base64url')}`
  const folder = join(storage.workDir, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/**
 * Deletes the unfinished files of ended processes. This process cannot know whether a process of another container or
 * host has ended. It deletes their files once none has changed for six hours.
 */
export async function purgeWorkFolders(storage: Storage): Promise<void> {
  for (const name of await readdir(storage.workDir)) {
    if (!name.startsWith('process-')) continue
    const folder = join(storage.workDir, name)
    if (await isAbandoned(folder, name)) await rm(folder, { recursive: true, force: true })
  }
}

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const [, pid, namespace, started = ''] = /^process-(\d+)-([0-9a-f]{8})-([\w-]*)$/.exec(name) ?? []
  if (namespace === namespaceId)
    return !isAlive({ pid: Number(pid), started: Buffer.from(started, 'base64url').toString(), note: '' })
  return Date.now() - (await lastChangeIn(folder)) > abandonedAfterMs
}

/** Returns when the folder, or a file or folder in it, was last changed, in milliseconds. */
async function lastChangeIn(folder: string): Promise<number> {
  // A folder that cannot be listed counts as just changed, because its owner deletes subfolders while it works.
  const paths = await readdir(folder, { recursive: true }).catch(() => undefined)
  if (!paths) return Date.now()
  const times = await Promise.all(
    // A file may be deleted meanwhile.
    ['', ...paths].map((path) =>
      stat(join(folder, path)).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    ),
  )
  return Math.max(...times)
}
