import { constants } from 'node:fs'
import { copyFile, link, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { timeLeft } from './progress.ts'
import { ownWorkFolder } from '#server/features/media/ingest/files/work-folder.ts'
import { eachOf } from '#server/platform/storage/each-of.ts'
import type { Storage, StoredFile } from '#server/platform/storage/storage.ts'

/** All that lies in a storage. */
export const storedFolders = ['originals', 'public', 'media', 'uploads']
const filesAtOnce = 6
const tellEveryMs = 2000

export interface CopyReport {
  copied: number
  /** Were there already. */
  there: number
}

interface Ends {
  from: Storage
  to: Storage
}

/**
 * Copies all files of a storage into another, in any number of runs: what is there and no older is not sent again, nor, to a
 * bucket, the parts of a large file that were. What is taken away meanwhile is left out.
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

/** Stores tell times in whole seconds. */
const seconds = ({ writtenAt }: StoredFile) => Math.floor(writtenAt.getTime() / 1000)

/** `moveIn` takes what it is given, from a disk's own work folder; what is copied has to stay. */
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

/** On its way into a bucket a second name of the file will do; on a disk it is to be a file of its own. */
async function bringTwice(path: string, second: string, to: Storage): Promise<void> {
  const copy = () => copyFile(path, second, constants.COPYFILE_FICLONE)
  await (to.delivery.kind === 'files' ? copy() : link(path, second).catch(copy))
}

function unlessGone(from: Storage, key: string) {
  return async (error: unknown) => {
    if (await from.exists(key)) throw error
  }
}
