import type { Storage } from '#server/platform/storage/storage.ts'

/** The folder in which a test's site, which has no bucket, keeps its files. */
export function diskRoot({ delivery }: Storage): string {
  if (delivery.kind !== 'files') throw new Error('this storage is no disk')
  return delivery.root
}
