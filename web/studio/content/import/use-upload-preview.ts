import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { parseFileName } from '#contract/studio/parse-file-name.ts'
import type { StudioEpisode, StudioVideoPage } from '#contract/studio/videos.ts'
import { useUnsaved } from '#web/studio/ui/unsaved/use-unsaved.ts'
import { findAlreadyUploaded } from './already-uploaded.ts'
import { uploadedFilesQuery } from '#web/studio/content/queries.ts'
import {
  assignEpisodes,
  type AssignedFile,
  type Season,
} from '#web/studio/content/uploads/assign-episodes.ts'
import type { SourceFile } from '#web/studio/content/uploads/source-file.ts'
import type { FileToUpload } from '#web/studio/content/uploads/upload-queue.ts'
import { useImportDiff } from './use-import-diff.ts'

/** A file of the upload with the episode to which it is assigned. */
export type Line = Season<SourceFile>['files'][number] & {
  /** True if the file was already uploaded, so that it is not sent again. */
  isHere: boolean
}

/** The operator's corrections by file; null means that the file is skipped. */
type Corrections = ReadonlyMap<SourceFile, Partial<AssignedFile<SourceFile>> | null>

const assignFiles = (found: readonly SourceFile[]): AssignedFile<SourceFile>[] =>
  found.flatMap((file) => {
    const { kind, number, language } = parseFileName(file.path)
    return kind === 'film' || kind === 'captions' ? [{ file, kind, number, language }] : []
  })

/** Assigns the selected files to episodes of a video, and applies the operator's corrections. */
export function useUploadPreview(
  video: StudioVideoPage,
  found: readonly SourceFile[],
  episodes: readonly StudioEpisode[],
) {
  const [corrections, setCorrections] = useState<Corrections>(new Map())
  useUnsaved(corrections.size > 0)
  const placed = assignFiles(found)
    .filter(({ file }) => corrections.get(file) !== null)
    .map((each) => ({ ...each, ...corrections.get(each.file) }))
  const existingNumbers = new Set(episodes.map(({ number }) => number))
  const arrived = useQuery(uploadedFilesQuery(video.id))
  const isHere = findAlreadyUploaded(arrived.data?.list ?? [])
  const { files: arranged, gaps } = assignEpisodes(placed, existingNumbers)
  const lines = arranged.map((each): Line => ({ ...each, isHere: !each.problem && isHere(each) }))
  const uploadedCount = lines.filter((each) => each.isHere).length
  const filmNumbers = lines.flatMap(({ kind, number }) => (kind === 'film' ? (number ?? []) : []))
  const folder = useImportDiff(found, video, { episodes, coming: filmNumbers })
  const ready = lines.flatMap(({ file, kind, number, language, problem, isHere }): FileToUpload[] =>
    number === undefined || problem || isHere
      ? []
      : [{ file, number, language, titles: kind === 'film' ? folder.titlesOf(number) : undefined }],
  )
  const [problemFiles] = useState(() => problemFilesOf(assignEpisodes(assignFiles(found), existingNumbers)))
  const isValid = ready.length + uploadedCount === lines.length
  return {
    lines,
    /** The numbers of missing episodes. */
    gaps,
    /** The paths of files that are not uploaded. */
    others: found
      .filter((file) => parseFileName(file.path).kind === 'other' || folder.unused.has(file))
      .map(({ path }) => path),
    /** The number of files that were already uploaded. */
    here: uploadedCount,
    isLookedUp: !arrived.isPending,
    folder,
    /** The files to send. */
    ready,
    isValid,
    isBusy: arrived.isPending || folder.isReading || folder.busy,
    /** Returns whether the file had a problem when it was selected. */
    hadProblem: (file: SourceFile) => problemFiles.has(file),
    fix: (file: SourceFile, change: Partial<AssignedFile<SourceFile>>) =>
      setCorrections(new Map([...corrections, [file, { ...corrections.get(file), ...change }]])),
    leaveOut: (files: readonly SourceFile[]) =>
      setCorrections(new Map([...corrections, ...files.map((file) => [file, null] as const)])),
  }
}

export type PlannedUpload = ReturnType<typeof useUploadPreview>

const problemFilesOf = ({ files }: Season<SourceFile>): ReadonlySet<SourceFile> =>
  new Set(files.filter(({ problem }) => problem).map(({ file }) => file))
