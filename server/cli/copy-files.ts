import { constants } from 'node:fs'
import { copyFile, link, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { timeLeft } from './progress.ts'
import { ownWorkFolder } from '#server/features/media/ingest/files/work-folder.ts'
import { eachOf } from '#server/platform/storage/each-of.ts'
import type { Storage, StoredFile } from '#server/platform/storage/storage.ts'

/** All folders of a storage. */
export const storedFolders = ['originals', 'public', 'media', 'uploads']
const filesAtOnce = 6
const tellEveryMs = 2000

export interface CopyReport {
  copied: number
  /** Existed already. */
  there: number
}

interface Ends {
  from: Storage
  to: Storage
}

/**
 * Copies all files of a storage to another, in any number of runs: existing files that are not older are not sent again, nor, to a
 * bucket, the uploaded parts of a large file. Files deleted meanwhile are skipped.
 * @throws the signal's reason when aborted
 */
export async function copyFiles(
  ends: Ends,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<CopyReport> {
  const { missing, there } = await compare(ends, signal)
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
  const started = performance.now()
  let [copied, sent, told] = [0, 0, -Infinity]
  await eachOf(missing, filesAtOnce, async ({ key, bytes }) => {
    await copyOne(ends, key, signal).catch(unlessGone(ends.from, key))
    copied++
    sent += bytes
    if (performance.now() - told < tellEveryMs && copied < missing.length) return
    told = performance.now()
    const percent = total > 0 ? Math.floor((100 * sent) / total) : 100
    tell(`${percent} % · ${copied} of ${missing.length} files${timeLeft(percent, told - started)}`)
  })
  return { copied, there }
}

async function compare({ from, to }: Ends, signal: AbortSignal) {
  const missing: StoredFile[] = []
  let there = 0
  for (const folder of storedFolders) {
    const known = new Map<string, StoredFile>()
    for await (const file of to.list(folder)) known.set(file.key, file)
    for await (const file of from.list(folder)) {
      signal.throwIfAborted()
      const copy = known.get(file.key)
      if (copy?.bytes === file.bytes && seconds(copy) >= seconds(file)) there++
      else missing.push(file)
    }
  }
  return { missing, there }
}

/** Stores report times in whole seconds. */
const seconds = ({ writtenAt }: StoredFile) => Math.floor(writtenAt.getTime() / 1000)

/** Copies one file. `moveIn` moves its source, from a disk's own work folder, so it gets a second copy. */
async function copyOne({ from, to }: Ends, key: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const folder = await mkdtemp(join(ownWorkFolder(to), 'copy-'))
  try {
    const path = await from.bringHere(key, folder, signal)
    const second = join(folder, `copy-${basename(key)}`)
    await bringTwice(path, second, to)
    await to.moveIn(second, key, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Creates the second copy: for a bucket a hard link suffices; a disk needs a file of its own. */
async function bringTwice(path: string, second: string, to: Storage): Promise<void> {
  const copy = () => copyFile(path, second, constants.COPYFILE_FICLONE)
  await (to.delivery.kind === 'files' ? copy() : link(path, second).catch(copy))
}

function unlessGone(from: Storage, key: string) {
  return async (error: unknown) => {
    if (await from.exists(key)) throw error
  }
}
