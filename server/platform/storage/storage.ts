/** A file in the storage. */
export interface StoredFile {
  key: string
  bytes: number
  modifiedAt: Date
}

/**
 * How files behind signed URLs are delivered. `files`: the app verifies the URL and sends the file. `signed`: the app
 * verifies the URL and returns a link that the store accepts for a while. `edge`: a cache in front of the store
 * verifies the site's signatures itself.
 */
export type Delivery =
  | { kind: 'files'; root: string }
  | { kind: 'signed'; origin: string; sign(key: string, expires: Date): string }
  | { kind: 'edge'; origin: string }

/**
 * The files, by key: `originals/…`, `media/<asset>/…` (behind a signed URL), `public/…`, `uploads/…` (parts of uploads
 * in the studio). A key's file appears atomically, and is durable once the promise resolves. A folder may appear file
 * by file, because nothing reads it before the database refers to it.
 */
export interface Storage {
  readonly delivery: Delivery
  /** A folder on this machine for unfinished work, from which `moveFromWorkDir` moves files. */
  readonly workDir: string
  exists(key: string): Promise<boolean>
  /**
   * Lists all files below a folder, page by page; none if there is no such folder. Files that are stored or removed
   * meanwhile may be listed or not.
   */
  list(folder: string): AsyncIterable<StoredFile>
  /**
   * `interactive`: a viewer waits for it, so a slow store is abandoned within seconds.
   * @throws Error (ENOENT) if there is no such file
   */
  read(key: string, options?: { interactive?: boolean }): Promise<Buffer>
  write(key: string, bytes: string | Uint8Array): Promise<void>
  /**
   * Moves a finished file or folder of `workDir` to a key, replacing what is there. Data that an earlier attempt
   * already sent to the same key is not sent again.
   * @throws the signal's reason when aborted
   */
  moveFromWorkDir(path: string, key: string, signal?: AbortSignal): Promise<void>
  /** @throws Error (ENOENT) if there is no such file */
  copy(from: string, to: string): Promise<void>
  /** Deletes a file or a whole folder, if it exists. */
  remove(key: string): Promise<void>
  /**
   * Returns a local path at which a program can read the file: the file itself, or a copy in `folder`.
   * @throws Error (ENOENT) if there is no such file; the signal's reason when aborted
   */
  getLocalPath(key: string, folder: string, signal?: AbortSignal): Promise<string>
  /**
   * Returns whether this site owns the storage, so that it may delete unknown files. It claims a bucket without an
   * owner.
   */
  claimOwnership(): Promise<boolean>
  /** Deletes unfinished uploads that started before a time. */
  deleteUnfinishedUploads(before: Date): Promise<void>
}

/** An error of a store. */
export abstract class StorageError extends Error {
  /** True if the file did not cause the error: the call may succeed once the store is available or grants access. */
  abstract readonly isUnavailable: boolean
}

/** Returns whether an error is temporary and caused by the store. */
export function isStorageUnavailable(error: unknown): boolean {
  return error instanceof StorageError && error.isUnavailable
}

/** Creates the error for a missing file, as the disk reports it. */
export function noSuchFile(key: string): Error {
  return Object.assign(new Error(`There is no file ${key} in the storage.`), { code: 'ENOENT' })
}

/** Returns the key. @throws Error if it is not a plain path below the storage's root */
export function checkKey(key: string): string {
  const parts = key.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..') || /[\\\0]/.test(key))
    throw new Error(`The key ${JSON.stringify(key)} leads out of the storage.`)
  return key
}
