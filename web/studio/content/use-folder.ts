import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { coverPath, uploadLimits } from '#contract/studio/uploads.ts'
import { editVideo, type DeskVideo } from '#contract/studio/videos.ts'
import { notify } from '#web/lib/notify.ts'
import { sendPicture } from '#web/studio/send-picture.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { bytesWords } from './bytes-words.ts'
import { compareDescription, editsOf, type Difference } from './compare-description.ts'
import { descriptionQuery } from './queries.ts'
import { readName } from './read-names.ts'
import type { SourceFile } from './source-file.ts'

/** One thing that may be taken over: of the description, or the cover. */
export interface Offer {
  key: string
  /** Undefined for the cover. */
  difference?: Difference
  isTaken: boolean
}

/**
 * What the `video.yaml` and the cover among these files offer for a video; of several, the last that was given. Where the page has
 * nothing yet it is taken, unless the operator says otherwise; what it has stays, unless they say otherwise.
 */
export function useFolder(found: readonly SourceFile[], video: DeskVideo) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const { run } = useCommand(editVideo)
  const [busy, setBusy] = useState(false)
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map())
  const last = (kind: 'description' | 'cover') => found.findLast(({ path }) => readName(path).kind === kind)
  const [file, cover] = [last('description'), last('cover')]
  const isTooLarge = file !== undefined && file.bytes > uploadLimits.description
  const reading = useQuery(descriptionQuery(file))
  const said = reading.data?.description
  const differences = said ? compareDescription(said, video) : []
  const offer = (key: string, was: unknown) => ({ key, isTaken: chosen.get(key) ?? !was })
  const offers: Offer[] = [
    ...differences.map((difference) => ({
      ...offer([difference.part, difference.language ?? ''].join('.'), difference.was),
      difference,
    })),
    ...(cover ? [offer('cover', video.cover_url)] : []),
  ]
  const taken = offers.filter(({ isTaken }) => isTaken)
  const takeCover = async (picture: SourceFile) => {
    const { info, message } = await sendPicture<object>(
      coverPath.replace(':id', video.id),
      await picture.read(),
    )
    if (!info) notify(message || t('content.noPicture'))
    void queryClient.invalidateQueries({ queryKey: ['video', video.id] })
    return info !== undefined
  }
  const takeAll = async () => {
    const texts = taken.flatMap(({ difference }) => difference ?? [])
    if (texts.length > 0 && !(await run({ id: video.id, ...editsOf(texts) }))) return false
    return !cover || !taken.some(({ key }) => key === 'cover') || takeCover(cover)
  }
  return {
    file,
    cover,
    offers,
    takenCount: taken.length,
    mistake: isTooLarge
      ? t('content.said.tooLarge', { most: bytesWords(uploadLimits.description) })
      : (reading.data?.mistake ?? ''),
    namedEpisodes: said?.named_episodes ?? 0,
    isReading: file !== undefined && !isTooLarge && reading.isPending,
    couldNotRead: reading.isError,
    readAgain: () => void reading.refetch(),
    choose: (keys: readonly string[], isTaken: boolean) =>
      setChosen(new Map([...chosen, ...keys.map((key) => [key, isTaken] as const)])),
    busy,
    /** Takes over what is ticked. @returns whether all of it was; if not, it has been said why */
    apply: async () => {
      setBusy(true)
      return takeAll()
        .catch(() => false)
        .finally(() => setBusy(false))
    },
  }
}
