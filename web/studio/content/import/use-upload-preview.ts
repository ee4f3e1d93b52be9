import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readFileName } from '#contract/studio/file-names.ts'
import type { StudioEpisode, StudioVideoPage } from '#contract/studio/videos.ts'
import { useUnsaved } from '#web/studio/ui/unsaved/unsaved.ts'
import { findAlreadyUploaded } from './already-uploaded.ts'
import { arrivedQuery } from '#web/studio/content/queries.ts'
import { arrange, type Placed, type Season } from '#web/studio/content/uploads/arrange-season.ts'
import type { SourceFile } from '#web/studio/content/uploads/source-file.ts'
import type { ToSend } from '#web/studio/content/uploads/upload-queue.ts'
import { useImportDiff } from './use-import-diff.ts'

/** A file of the upload, with its planned episode. */
export type Line = Season<SourceFile>['files'][number] & {
  /** Whether the file was already uploaded, so that it is not sent again. */
  isHere: boolean
}

/** The operator's correction for a file; null if it is skipped. */
type Fixes = ReadonlyMap<SourceFile, Partial<Placed<SourceFile>> | null>

const placedOf = (found: readonly SourceFile[]): Placed<SourceFile>[] =>
  found.flatMap((file) => {
    const { kind, number, language } = readFileName(file.path)
    return kind === 'film' || kind === 'captions' ? [{ file, kind, number, language }] : []
  })

/** Plans the upload of dropped files beside the existing episodes, and applies corrections. */
export function useUploadPreview(
  video: StudioVideoPage,
  found: readonly SourceFile[],
  episodes: readonly StudioEpisode[],
) {
  const [fixes, setFixes] = useState<Fixes>(new Map())
  useUnsaved(fixes.size > 0)
  const placed = placedOf(found)
    .filter(({ file }) => fixes.get(file) !== null)
    .map((each) => ({ ...each, ...fixes.get(each.file) }))
  const there = new Set(episodes.map(({ number }) => number))
  const arrived = useQuery(arrivedQuery(video.id))
  const isHere = findAlreadyUploaded(arrived.data?.list ?? [])
  const { files: arranged, gaps } = arrange(placed, there)
  const lines = arranged.map((each): Line => ({ ...each, isHere: !each.trouble && isHere(each) }))
  const here = lines.filter((each) => each.isHere).length
  const coming = lines.flatMap(({ kind, number }) => (kind === 'film' ? (number ?? []) : []))
  const folder = useImportDiff(found, video, { episodes, coming })
  const ready = lines.flatMap(({ file, kind, number, language, trouble, isHere }): ToSend[] =>
    number === undefined || trouble || isHere
      ? []
      : [{ file, number, language, titles: kind === 'film' ? folder.titlesOf(number) : undefined }],
  )
  const [marked] = useState(() => markedOf(arrange(placedOf(found), there)))
  const isValid = ready.length + here === lines.length
  return {
    lines,
    /** Numbers of missing episodes. */
    gaps,
    /** The paths of files that are not uploaded. */
    others: found
      .filter((file) => readFileName(file.path).kind === 'other' || folder.unused.has(file))
      .map(({ path }) => path),
    /** Number of files that were already uploaded. */
    here,
    isLookedUp: !arrived.isPending,
    folder,
    /** The files to send. */
    ready,
    isValid,
    isBusy: arrived.isPending || folder.isReading || folder.busy,
    /** Returns whether the file had a problem initially. */
    hadProblem: (file: SourceFile) => marked.has(file),
    fix: (file: SourceFile, change: Partial<Placed<SourceFile>>) =>
      setFixes(new Map([...fixes, [file, { ...fixes.get(file), ...change }]])),
    leaveOut: (files: readonly SourceFile[]) =>
      setFixes(new Map([...fixes, ...files.map((file) => [file, null] as const)])),
  }
}

export type PlannedUpload = ReturnType<typeof useUploadPreview>

const markedOf = ({ files }: Season<SourceFile>): ReadonlySet<SourceFile> =>
  new Set(files.filter(({ trouble }) => trouble).map(({ file }) => file))
