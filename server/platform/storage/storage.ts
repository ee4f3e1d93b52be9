/** A file of the storage. */
export interface StoredFile {
  key: string
  bytes: number
  writtenAt: Date
}

/**
 * How browsers get a file behind a signed link, once the app has checked it: the app sends the file, or returns a link that the
 * store honours for a while, or a cache in front of the store checks the site's own signatures.
 */
export type Delivery =
  | { kind: 'files'; root: string }
  | { kind: 'signed'; origin: string; sign(key: string, expires: Date): string }
  | { kind: 'edge'; origin: string }

/**
 * Where files live, by key: `originals/…`, `media/<asset>/…` (behind a pass), `public/…`. A key's file appears whole or
 * not at all, and once a promise here is kept the file outlives a power cut. A folder may appear file by file: nothing reads
 * one before the database names it.
 */
export interface Storage {
  readonly delivery: Delivery
  /** A folder of this machine for unfinished work, from which `moveIn` takes. */
  readonly workDir: string
  exists(key: string): Promise<boolean>
  /** All files below a folder; none if there is no such folder. */
  list(folder: string): AsyncIterable<StoredFile>
  /** `soon`: somebody waits for it, so a store that is slow is given up within seconds. @throws Error (ENOENT) if there is no such file */
  read(key: string, options?: { soon?: boolean }): Promise<Buffer>
  write(key: string, bytes: string | Uint8Array): Promise<void>
  /**
   * Takes over a finished file or folder of `workDir`; what stood at the key is replaced. What an earlier try at the same
   * key has brought is not sent again. @throws the signal's reason when aborted
   */
  moveIn(path: string, key: string, signal?: AbortSignal): Promise<void>
  /** @throws Error (ENOENT) if there is no such file */
  copy(from: string, to: string): Promise<void>
  /** Removes a file or a whole folder; nothing happens if there is none. */
  remove(key: string): Promise<void>
  /**
   * A path on this machine at which a program can read the file: the file itself, or a copy in `folder`.
   * @throws Error (ENOENT) if there is no such file; the signal's reason when aborted
   */
  bringHere(key: string, folder: string, signal?: AbortSignal): Promise<string>
  /**
   * Whether the files here are this site's alone, so that it may delete what it does not know. An unowned bucket
   * becomes the site's own.
   */
  isOwn(): Promise<boolean>
  /** Deletes unfinished uploads that started before a moment. */
  sweepUnfinished(before: Date): Promise<void>
}

/** What went wrong at a store. */
export abstract class StorageError extends Error {
  /** It says nothing about the file: the same call is worth making once the store is back, or lets us in again. */
  abstract readonly isAway: boolean
}

/** Whether an error is the store's, and passes with it. */
export function isStorageAway(error: unknown): boolean {
  return error instanceof StorageError && error.isAway
}

/** A file that is not there, as the disk says it. */
export function noSuchFile(key: string): Error {
  return Object.assign(new Error(`There is no file ${key} in the storage.`), { code: 'ENOENT' })
}

/** @throws Error where a key is not a plain path below the storage's root */
export function checkKey(key: string): string {
  const parts = key.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..') || /[\\\0]/.test(key))
    throw new Error(`The key ${JSON.stringify(key)} leads out of the storage.`)
  return key
}
