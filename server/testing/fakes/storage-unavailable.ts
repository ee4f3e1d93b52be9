import { StorageError } from '#server/platform/storage/storage.ts'

/** The error of a storage that cannot be reached. */
export class StorageUnavailable extends StorageError {
  readonly isUnavailable = true
}
