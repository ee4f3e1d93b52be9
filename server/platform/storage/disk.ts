import { existsSync, mkdirSync } from 'node:fs'
import {
  access,
  copyFile,
  mkdir,
  open,
  opendir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { checkKey, type Storage, type StoredFile } from './storage.ts'

const draftEnding = '.draft'

/** Opens the storage on this machine's disk, in `dataDir`/storage. */
export function openDisk(dataDir: string): Storage {
  const root = resolve(dataDir, 'storage')
  const workDir = resolve(dataDir, 'work')
  mkdirSync(root, { recursive: true })
  mkdirSync(workDir, { recursive: true })
  const pathOf = (key: string) => join(root, checkKey(key))
  return {
    delivery: { kind: 'files', root },
    workDir,
    exists: async (key) => existsSync(pathOf(key)),
    list: (folder) => listFolder(pathOf(folder), folder),
    read: (key) => readFile(pathOf(key)),
    write: (key, bytes) => writeAtomically(root, pathOf(key), (draft) => writeFile(draft, bytes)),
    copy: (from, to) => writeAtomically(root, pathOf(to), (draft) => copyFile(pathOf(from), draft)),
    async moveFromWorkDir(path, key, signal) {
      signal?.throwIfAborted()
      await syncTree(path)
      await mkdir(dirname(pathOf(key)), { recursive: true })
      // A renamed file replaces an existing one atomically. For a folder, the existing one must be removed first.
      if ((await stat(path)).isDirectory()) await rm(pathOf(key), { recursive: true, force: true })
      await rename(path, pathOf(key))
      await syncFoldersAbove(root, pathOf(key))
    },
    remove: (key) => rm(pathOf(key), { recursive: true, force: true }),
    async getLocalPath(key) {
      await access(pathOf(key))
      return pathOf(key)
    },
    claimOwnership: async () => true,
    // Unfinished files are in `workDir` and are deleted there.
    deleteUnfinishedUploads: async () => {},
  }
}

/** Lists files as the folders are read, because a folder may have millions of them. */
async function* listFolder(path: string, folder: string): AsyncGenerator<StoredFile> {
  // Not by the option `recursive`, which keeps every subfolder open until it is read.
  for await (const entry of (await ifExists(opendir(path))) ?? []) {
    const [file, key] = [join(path, entry.name), `${folder}/${entry.name}`]
    if (entry.isDirectory()) yield* listFolder(file, key)
    if (!entry.isFile() || entry.name.endsWith(draftEnding)) continue
    // A file may be removed while the list is read.
    const found = await ifExists(stat(file))
    if (found) yield { key, bytes: found.size, modifiedAt: found.mtime }
  }
}

/** Returns undefined if the file or folder does not exist. */
async function ifExists<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return found.catch((error: unknown) => {
    if (Object(error).code === 'ENOENT') return undefined
    throw error
  })
}

let drafts = 0

async function writeAtomically(
  root: string,
  path: string,
  write: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = `${path}.${process.pid}-${drafts++}${draftEnding}`
  await mkdir(dirname(path), { recursive: true })
  try {
    await write(draft)
    await sync(draft)
    await rename(draft, path)
    await syncFoldersAbove(root, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Maximum concurrent fsync calls: the disk batches them, and a few are enough for that. */
const syncsAtOnce = 8

/** Fsyncs a file, or a folder with all its contents. */
async function syncTree(path: string): Promise<void> {
  const entries = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : []
  const queue = [path, ...entries.map((entry) => join(path, entry))].values()
  // One iterator shared by all workers: each takes the next path.
  await Promise.all(
    Array.from({ length: syncsAtOnce }, async () => {
      for (const each of queue) await sync(each)
    }),
  )
}

/** Fsyncs the folders above a path: a new name is durable once its folder is, and a new folder once its parent is. */
async function syncFoldersAbove(root: string, path: string): Promise<void> {
  for (let folder = dirname(path); folder.startsWith(root); folder = dirname(folder)) await sync(folder)
}

async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
