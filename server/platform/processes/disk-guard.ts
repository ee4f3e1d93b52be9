import { statfs } from 'node:fs/promises'
import type { Log } from '#server/platform/log.ts'

export interface DiskGuard {
  /** Returns whether too little space is left to record analytics. */
  isLow(): boolean
  stop(): void
}

const everyMs = 10_000

/** Returns the free bytes on a folder's disk. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Returns the size of a folder's disk, in bytes. */
export async function diskBytes(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder)
  return blocks * bsize
}

/** Watches the free space on a folder's disk, so that the least important writes stop first. */
export async function watchDisk(
  folder: string,
  minBytes: number,
  log: Log,
  readFreeBytes: (folder: string) => Promise<number> = freeBytes,
): Promise<DiskGuard> {
  let low = false
  const checkSpace = async () => {
    const freeBytes = await readFreeBytes(folder)
    if (freeBytes < minBytes !== low) {
      low = !low
      if (low)
        log.error({ left: freeBytes, folder }, 'The disk is nearly full: analytics events are not recorded')
      else
        log.info({ left: freeBytes, folder }, 'The disk has free space again: analytics events are recorded')
    }
  }
  const checkOrLog = () =>
    checkSpace().catch((error: unknown) =>
      log.warn({ err: error, folder }, 'The free disk space could not be read'),
    )
  await checkOrLog()
  const timer = setInterval(() => void checkOrLog(), everyMs).unref()
  return { isLow: () => low, stop: () => clearInterval(timer) }
}
