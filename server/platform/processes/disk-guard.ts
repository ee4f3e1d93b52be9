import { statfs } from 'node:fs/promises'
import type { Log } from '#server/platform/log.ts'

export interface DiskGuard {
  /** Whether so little room is left that analytics are not recorded. */
  isLow(): boolean
  stop(): void
}

const everyMs = 10_000

/** Bytes that are free on the disk of a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Size of the disk of a folder, in bytes. */
export async function diskBytes(folder: string): Promise<number> {
  const { blocks, bsize } = await statfs(folder)
  return blocks * bsize
}

/** Watches the room that is left on the disk of a folder, so that what matters least stops first. */
export async function watchDisk(
  folder: string,
  leastBytes: number,
  log: Log,
  free: (folder: string) => Promise<number> = freeBytes,
): Promise<DiskGuard> {
  let low = false
  const look = async () => {
    const left = await free(folder)
    if (left < leastBytes !== low) {
      low = !low
      if (low) log.error({ left, folder }, 'The disk is nearly full: analytics events are not recorded')
      else log.info({ left, folder }, 'There is room on the disk again: analytics events are recorded')
    }
  }
  const lookAgain = () =>
    look().catch((error: unknown) => log.warn({ err: error, folder }, 'The room on the disk is not known'))
  await lookAgain()
  const timer = setInterval(() => void lookAgain(), everyMs).unref()
  return { isLow: () => low, stop: () => clearInterval(timer) }
}
