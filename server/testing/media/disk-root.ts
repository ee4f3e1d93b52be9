import type { Storage } from '#server/platform/storage/storage.ts'

/** Returns the storage folder of a test's site. @throws Error if the storage is a bucket */
export function diskRoot({ delivery }: Storage): string {
  if (delivery.kind !== 'files') throw new Error('this storage is a bucket, not a disk')
  return delivery.root
}
