import { constants } from 'node:fs'
import { copyFile, link, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { timeLeft } from './progress.ts'
import { ownWorkFolder } from '#server/platform/storage/work-folder.ts'
import { forEachConcurrently } from '#server/platform/for-each-concurrently.ts'
import type { Storage, StoredFile } from '#server/platform/storage/storage.ts'

/** All folders of a storage. */
export const storageFolders = ['originals', 'public', 'media', 'uploads', 'archive']
const filesAtOnce = 6
const progressIntervalMs = 2000

export interface CopyReport {
  copied: number
  /** The number of files that existed at the destination. */
  alreadyPresent: number
}

interface CopyEnds {
  from: Storage
  to: Storage
}

/**
 * Copies all files from one storage to another. A repeated run continues: it skips a file if the copy at the
 * destination has the same size and is not older. In a bucket, it also skips the uploaded parts of a large file. Files
 * that are deleted meanwhile are skipped.
 * @throws the signal's reason when aborted
 */
export async function copyFiles(
  ends: CopyEnds,
  reportProgress: (line: string) => void,
  signal: AbortSignal,
): Promise<CopyReport> {
  const { missing, there: alreadyPresent } = await findMissingFiles(ends, signal)
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
  const started = performance.now()
  let [copied, sent, lastReportedAt] = [0, 0, -Infinity]
  await forEachConcurrently(missing, filesAtOnce, async ({ key, bytes }) => {
    await copyOne(ends, key, signal).catch(ignoreIfDeleted(ends.from, key))
    copied++
    sent += bytes
    if (performance.now() - lastReportedAt < progressIntervalMs && copied < missing.length) return
    lastReportedAt = performance.now()
    const percent = total > 0 ? Math.floor((100 * sent) / total) : 100
    reportProgress(
      `${percent} % · ${copied} of ${missing.length} files${timeLeft(percent, lastReportedAt - started)}`,
    )
  })
  return { copied, alreadyPresent }
}

async function findMissingFiles({ from, to }: CopyEnds, signal: AbortSignal) {
  const missing: StoredFile[] = []
  let alreadyPresent = 0
  for (const folder of storageFolders) {
    const known = new Map<string, StoredFile>()
    for await (const file of to.list(folder)) known.set(file.key, file)
    for await (const file of from.list(folder)) {
      signal.throwIfAborted()
      const copy = known.get(file.key)
      if (copy?.bytes === file.bytes && modifiedSeconds(copy) >= modifiedSeconds(file)) alreadyPresent++
      else missing.push(file)
    }
  }
  return { missing, there: alreadyPresent }
}

/** Compares whole seconds, because some stores report no fractions. */
const modifiedSeconds = ({ modifiedAt }: StoredFile) => Math.floor(modifiedAt.getTime() / 1000)

/**
 * Copies one file. Passes a second copy, in the destination's work folder, to `moveFromWorkDir`, because that function
 * removes the file that it is given.
 */
async function copyOne({ from, to }: CopyEnds, key: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const folder = await mkdtemp(join(ownWorkFolder(to), 'copy-'))
  try {
    const path = await from.getLocalPath(key, folder, signal)
    const second = join(folder, `copy-${basename(key)}`)
    await createSecondCopy(path, second, to)
    await to.moveFromWorkDir(second, key, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Creates the second copy. For an upload to a bucket, a hard link suffices. A disk stores the copy itself, so it must
 * be a separate file.
 */
async function createSecondCopy(path: string, second: string, to: Storage): Promise<void> {
  const copy = () => copyFile(path, second, constants.COPYFILE_FICLONE)
  await (to.delivery.kind === 'files' ? copy() : link(path, second).catch(copy))
}

function ignoreIfDeleted(from: Storage, key: string) {
  return async (error: unknown) => {
    if (await from.exists(key)) throw error
  }
}
