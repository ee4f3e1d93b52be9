import type { Storage } from '#server/platform/storage/storage.ts'

/** Returns the storage folder of a test's site, which has no bucket. */
export function diskRoot({ delivery }: Storage): string {
  if (delivery.kind !== 'files') throw new Error('this storage is no disk')
  return delivery.root
}
