import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore, type DragEvent } from 'react'
import { editVideo, orderEpisodes, type DeskEpisode, type DeskVideo } from '#contract/studio/videos.ts'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { isFocusLost } from '#web/studio/ui/Ordered.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { EpisodeRow } from './EpisodeRow.tsx'
import { Making } from './Making.tsx'
import { episodesQuery, videoQuery } from './queries.ts'
import { onSendings, sendings } from './upload-queue.ts'
import styles from './content.module.css'

/** The episodes in their order, which is changed by dragging or by the buttons of each, with what became of their files. */
export function Episodes({ video: { id, free_episodes } }: { video: DeskVideo }) {
  const { t } = useTexts()
  const mayEdit = useMay()(editVideo)
  const isComing = useSyncExternalStore(onSendings, sendings).some(({ videoId }) => videoId === id)
  const episodes = useQuery(episodesQuery(id, isComing))
  const order = useCommand(orderEpisodes)
  const [dragged, setDragged] = useState<string | null>(null)
  const moved = useRef<{ id: string; by: -1 | 1 } | null>(null)
  // A row that moves in the document loses the focus, and at an end of the list its button.
  useEffect(() => {
    const { id: movedId = '', by = 1 } = moved.current ?? {}
    moved.current = null
    if (movedId && isFocusLost()) focusMove(movedId, by)
  }, [episodes.data])
  useVideoAnew(id, episodes.data?.list)
  if (episodes.isError) return <CouldNotLoad onRetry={() => void episodes.refetch()} />
  if (!episodes.data) return <div className={styles.wait} aria-busy="true" />
  const { list } = episodes.data
  if (list.length === 0) return <p className={styles.empty}>{t('content.noEpisodes')}</p>
  const move = (episodeId: string, to: number) => {
    if (order.busy) return
    const ids = list.map((episode) => episode.id).filter((each) => each !== episodeId)
    ids.splice(to, 0, episodeId)
    void order.run({ video_id: id, episode_ids: ids })
  }
  const step = (episodeId: string, from: number, by: -1 | 1) => {
    moved.current = { id: episodeId, by }
    move(episodeId, from + by)
  }
  const drop = (event: DragEvent, to: number) => {
    event.preventDefault()
    if (dragged) move(dragged, to)
    setDragged(null)
  }
  return (
    <>
      <Making list={list} at={episodes.dataUpdatedAt} />
      <ol className={styles.episodes} aria-busy={order.busy}>
        {list.map((episode, index) => (
          <li
            key={episode.id}
            id={episode.id}
            draggable={mayEdit}
            data-dragged={dragged === episode.id}
            onDragStart={() => setDragged(episode.id)}
            onDragEnd={() => setDragged(null)}
            onDragOver={(event) => dragged && event.preventDefault()}
            onDrop={(event) => drop(event, index)}
          >
            <EpisodeRow
              at={episodes.dataUpdatedAt}
              episode={episode}
              isFree={episode.number <= free_episodes}
              onMove={mayEdit ? (by) => step(episode.id, index, by) : undefined}
              place={placeOf(list, index)}
            />
          </li>
        ))}
      </ol>
    </>
  )
}

/** With a file of an episode a video gets its cover, or comes out, and what is said of it is no longer true. */
function useVideoAnew(id: string, list: readonly DeskEpisode[] | undefined): void {
  const client = useQueryClient()
  const known = useRef<string>(undefined)
  const now = list && `${list.length} ${list.filter(({ plays }) => plays).length}`
  useEffect(() => {
    if (known.current !== undefined && known.current !== now)
      void client.invalidateQueries({ queryKey: videoQuery(id).queryKey })
    known.current = now
  }, [client, id, now])
}

/** Puts the focus on the button that moves an episode on, or at an end of the list back. */
function focusMove(id: string, by: -1 | 1): void {
  const [up, down] =
    document.getElementById(id)?.querySelectorAll<HTMLButtonElement>('button[data-move]') ?? []
  const [first, second] = by === 1 ? [down, up] : [up, down]
  ;(first?.disabled ? second : first)?.focus()
}

function placeOf(list: readonly DeskEpisode[], index: number): { isFirst: boolean; isLast: boolean } {
  return { isFirst: index === 0, isLast: index === list.length - 1 }
}
