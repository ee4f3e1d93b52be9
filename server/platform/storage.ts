import { existsSync, mkdirSync } from 'node:fs'
import { copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

/**
 * Where files live, by key: `originals/…`, `media/<asset>/…` (behind a pass), `public/…`. A key's file appears whole or
 * not at all, and once a promise here is kept the file outlives a power cut.
 */
export interface Storage {
  /** The folder that the keys are paths in. */
  readonly root: string
  /** A folder for unfinished work, from which `moveIn` costs nothing. */
  readonly workDir: string
  /** A path that the file can be read at. */
  pathOf(key: string): string
  exists(key: string): boolean
  /** The keys of the files in a folder; none where there is no such folder. */
  list(folder: string): Promise<string[]>
  /** When the file was last written. @throws Error (ENOENT) where there is no such file */
  writtenAt(key: string): Promise<Date>
  /** @throws Error (ENOENT) where there is no such file */
  read(key: string): Promise<Buffer>
  write(key: string, bytes: string | Uint8Array): Promise<void>
  /** Takes over a finished file or folder of `workDir`; what stood at the key is replaced. */
  moveIn(path: string, key: string): Promise<void>
  copy(from: string, to: string): Promise<void>
  /** Removes a file or a whole folder; nothing happens where there is none. */
  remove(key: string): Promise<void>
}

/** The files on this machine's disk, in `dataDir`/storage. */
export function openStorage(dataDir: string): Storage {
  const root = resolve(dataDir, 'storage')
  const workDir = resolve(dataDir, 'work')
  mkdirSync(root, { recursive: true })
  mkdirSync(workDir, { recursive: true })
  const pathOf = (key: string) => inside(root, key)
  return {
    root,
    workDir,
    pathOf,
    exists: (key) => existsSync(pathOf(key)),
    list: (folder) => listFolder(pathOf(folder), folder),
    writtenAt: async (key) => (await stat(pathOf(key))).mtime,
    read: (key) => readFile(pathOf(key)),
    write: (key, bytes) => whole(root, pathOf(key), (draft) => writeFile(draft, bytes)),
    copy: (from, to) => whole(root, pathOf(to), (draft) => copyFile(pathOf(from), draft)),
    async moveIn(path, key) {
      await syncTree(path)
      await mkdir(dirname(pathOf(key)), { recursive: true })
      await rm(pathOf(key), { recursive: true, force: true })
      await rename(path, pathOf(key))
      await syncFoldersAbove(root, pathOf(key))
    },
    remove: (key) => rm(pathOf(key), { recursive: true, force: true }),
  }
}

async function listFolder(path: string, folder: string): Promise<string[]> {
  if (!existsSync(path)) return []
  return (await readdir(path)).map((name) => `${folder}/${name}`)
}

let drafts = 0

async function whole(root: string, path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${path}.${process.pid}-${drafts++}.draft`
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

/** How many files go to the disk at once: it does them together, and a few are enough for that. */
const syncsAtOnce = 8

/** Brings a file, or a folder with all that is in it, to the disk. */
async function syncTree(path: string): Promise<void> {
  const entries = (await stat(path)).isDirectory() ? await readdir(path, { recursive: true }) : []
  const queue = [path, ...entries.map((entry) => join(path, entry))].values()
  // One iterator shared by all: each takes the next path that nobody has.
  await Promise.all(
    Array.from({ length: syncsAtOnce }, async () => {
      for (const each of queue) await sync(each)
    }),
  )
}

/** A new name is on the disk once its folder is, and a new folder once the one above it is. */
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

function inside(root: string, key: string): string {
  const path = resolve(join(root, key))
  if (!path.startsWith(root + sep))
    throw new Error(`The key ${JSON.stringify(key)} leads out of the storage.`)
  return path
}
