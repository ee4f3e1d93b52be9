import { copyFile, link, mkdtemp, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { timeLeft } from '#server/cli-progress.ts'
import type { Context } from '#server/context.ts'
import { ownWorkFolder } from '#server/features/media/ingest/work-folder.ts'
import { ConfigError } from '#server/platform/config-error.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { eachOf } from '#server/platform/storage/each-of.ts'
import type { Storage, StoredFile } from '#server/platform/storage/storage.ts'

/** All that lies in a storage. */
const folders = ['originals', 'public', 'media', 'uploads']
const filesAtOnce = 6
const tellEveryMs = 2000

interface MoveReport {
  copied: number
  there: number
}

/**
 * Copies what lies in DATA_DIR into the bucket of the settings, in any number of runs: what is there and no older is not
 * sent again, nor the parts of a large file that were. The disk stays as it is.
 * @throws ConfigError without a bucket; the signal's reason when aborted
 */
export async function moveToBucket(
  { config, storage }: Pick<Context, 'config' | 'storage'>,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<MoveReport> {
  if (!config.s3) throw new ConfigError('Where to? Set S3_ENDPOINT and the settings that belong to it.')
  const disk = openDisk(config.dataDir)
  const { missing, there } = await compare(disk, storage, signal)
  const total = missing.reduce((sum, { bytes }) => sum + bytes, 0)
  const started = performance.now()
  let [copied, sent, told] = [0, 0, -Infinity]
  await eachOf(missing, filesAtOnce, async ({ key, bytes }) => {
    await copyOne(disk, storage, key, signal)
    copied++
    sent += bytes
    if (performance.now() - told < tellEveryMs && copied < missing.length) return
    told = performance.now()
    const percent = total > 0 ? Math.floor((100 * sent) / total) : 100
    tell(`${percent} % · ${copied} of ${missing.length} files${timeLeft(percent, told - started)}`)
  })
  return { copied, there }
}

async function compare(from: Storage, to: Storage, signal: AbortSignal) {
  const missing: StoredFile[] = []
  let there = 0
  for (const folder of folders) {
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

/** `moveIn` takes what it is given: a second name of the file, where the disk can give one, so that the first stays. */
async function copyOne(from: Storage, to: Storage, key: string, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const folder = await mkdtemp(join(ownWorkFolder(from), 'move-'))
  try {
    const path = await from.bringHere(key, folder)
    const second = join(folder, basename(key))
    await link(path, second).catch(() => copyFile(path, second))
    await to.moveIn(second, key, signal)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
