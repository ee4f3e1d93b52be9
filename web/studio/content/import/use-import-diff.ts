import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Language } from '#contract/languages.ts'
import { chooseCovers, parseFileName, type ChosenCovers } from '#contract/studio/parse-file-name.ts'
import { uploadLimits } from '#contract/studio/uploads.ts'
import {
  editVideo,
  setEpisodeTitles,
  type StudioEpisode,
  type StudioVideoPage,
} from '#contract/studio/videos.ts'
import { notify } from '#web/lib/notify.ts'
import { uploadImage } from '#web/studio/upload-image.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { formatBytes } from '#web/studio/content/uploads/format-bytes.ts'
import { compareDescription, editsOf, type DescriptionDifference } from './compare-description.ts'
import {
  choiceKey,
  compareTitles,
  titlesByEpisodeId,
  titlesOfNewEpisode,
  unknownEpisodeNumbers,
  type TitleDifference,
} from './compare-titles.ts'
import { coverPathOf } from '#web/studio/content/cover-path.ts'
import { descriptionQuery } from '#web/studio/content/queries.ts'
import type { SourceFile } from '#web/studio/content/uploads/source-file.ts'

/** A cover among the files, for viewers of one language or for all others. */
export type FoundCover = ChosenCovers<SourceFile>['covers'][number]

const coverKey = ({ language }: FoundCover) => `cover.${language ?? ''}`

/** Returns the URL of the current cover that a new one would replace. */
export function currentCoverUrl(video: StudioVideoPage, language: Language | undefined): string | null {
  if (!language) return video.cover_url
  return video.language_covers.find((cover) => cover.language === language)?.url ?? null
}

/** One change that can be imported: a value of the video, an episode title, or a cover. */
export interface ImportChange {
  /** Changes with the same key are imported together or not at all. */
  key: string
  difference?: DescriptionDifference
  cover?: FoundCover
  title?: TitleDifference
  isTaken: boolean
}

/**
 * Compares the `video.yaml` (the description) and the covers among the selected files with the values of a video. If
 * there are several descriptions, the last one is used. By default, a change is selected if the video has no value or
 * only an inherited default. The operator can change each choice.
 */
export function useImportDiff(
  found: readonly SourceFile[],
  video: StudioVideoPage,
  /** The existing episodes (`episodes`) and the episode numbers of the files (`coming`). */
  { episodes, coming }: { episodes: readonly StudioEpisode[]; coming: readonly number[] },
) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const { run: editDetails } = useCommand(editVideo, null)
  const { run: renameEpisodes } = useCommand(setEpisodeTitles, null)
  const [busy, setBusy] = useState(false)
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const descriptions = found.filter(({ path }) => parseFileName(path).kind === 'description')
  const file = descriptions.at(-1)
  const { covers, ignored } = chooseCovers(found.toReversed(), ({ path }) => path)
  const isTooLarge = file !== undefined && file.bytes > uploadLimits.description
  const reading = useQuery(descriptionQuery(file))
  const parsed = reading.data?.description
  const differences = parsed ? compareDescription(parsed, video) : []
  const titles = compareTitles(parsed?.episode_titles ?? [], episodes, coming)
  const known = new Set([...episodes.map(({ number }) => number), ...coming])
  const offer = (key: string, stays: unknown) => ({ key, isTaken: chosen.get(key) ?? !stays })
  const offers: ImportChange[] = [
    ...differences.map((difference) => ({
      ...offer(
        [difference.part, difference.language ?? ''].join('.'),
        difference.was && !difference.isInherited,
      ),
      difference,
    })),
    ...covers.map((cover) => ({ ...offer(coverKey(cover), currentCoverUrl(video, cover.language)), cover })),
    ...titles.map((title) => ({
      ...offer(choiceKey(title), title.was),
      title,
    })),
  ]
  const taken = offers.filter(({ isTaken }) => isTaken)
  const takenTitles = taken.flatMap(({ title }) => title ?? [])
  const uploadCover = async (cover: FoundCover) => {
    const { info, message } = await uploadImage<{ is_small: boolean }>(
      coverPathOf(video.id, cover.language),
      cover.file.read(),
    )
    if (!info) {
      notify(message || t('content.imageInvalid'))
      // The cover is deselected, so that the next click imports the rest.
      setChosen((before) => new Map([...before, [coverKey(cover), false]]))
    } else if (info.is_small) notify(t('content.coverTooSmall'))
    void queryClient.invalidateQueries({ queryKey: ['video', video.id] })
    return info !== undefined
  }
  const applyAll = async () => {
    const texts = taken.flatMap(({ difference }) => difference ?? [])
    if (texts.length > 0 && !(await editDetails({ id: video.id, ...editsOf(texts) }))) return false
    const names = titlesByEpisodeId(takenTitles)
    if (names.length > 0 && !(await renameEpisodes({ video_id: video.id, episodes: names }))) return false
    for (const { cover } of taken) if (cover && !(await uploadCover(cover))) return false
    return true
  }
  return {
    file,
    covers,
    /** Descriptions and covers that are not used, because another file has the same purpose. */
    unused: new Set([...descriptions.slice(0, -1), ...ignored.map((other) => other.file)]),
    offers,
    takenCount: taken.length,
    mistake: isTooLarge
      ? t('content.import.tooLarge', { max: formatBytes(uploadLimits.description) })
      : (reading.data?.error ?? ''),
    /** Numbers of episodes that have a title but exist neither in the video nor among the files. */
    unknown: unknownEpisodeNumbers(parsed?.episode_titles ?? [], known),
    /** Returns the selected titles of an episode among the files; undefined without a description. */
    titlesOf: (number: number) => (parsed ? titlesOfNewEpisode(takenTitles, number) : undefined),
    isReading: file !== undefined && !isTooLarge && reading.isPending,
    couldNotRead: reading.isError,
    readAgain: () => void reading.refetch(),
    choose: (keys: readonly string[], isTaken: boolean) =>
      setChosen(new Map([...chosen, ...keys.map((key) => [key, isTaken] as const)])),
    busy,
    /** Imports the selected changes. @returns whether all were imported; otherwise the reason was shown */
    apply: async () => {
      setBusy(true)
      return applyAll().finally(() => setBusy(false))
    },
  }
}
