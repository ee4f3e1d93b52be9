import type { Language } from '#contract/languages.ts'
import type { CompletedUpload } from '#contract/studio/uploads.ts'
import type { AssignedFile } from '#web/studio/content/uploads/assign-episodes.ts'
import { uploadName, type SourceFile } from '#web/studio/content/uploads/source-file.ts'

const keyOf = (
  name: string,
  bytes: number,
  lastModifiedAt: Date,
  number?: number,
  language?: Language | null,
) => JSON.stringify([name, bytes, lastModifiedAt.getTime(), number, language ?? null])

/**
 * Returns a function that tells whether a file was already uploaded completely for the same episode. Such a file need
 * not be sent again.
 */
export function findAlreadyUploaded(
  arrived: readonly CompletedUpload[],
): (placed: AssignedFile<SourceFile>) => boolean {
  const known = new Set(
    arrived.map(({ name, bytes, last_modified_at, number, language }) =>
      keyOf(name, bytes, new Date(last_modified_at), number, language),
    ),
  )
  return ({ file, number, language }) =>
    known.has(keyOf(uploadName(file), file.bytes, file.lastModifiedAt, number, language))
}
