import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { reorderEpisodes, type StudioEpisode, type StudioVideo } from '#contract/studio/videos.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { SortableList } from '#web/studio/ui/SortableList.tsx'
import { useOptimisticOrder } from '#web/studio/ui/use-optimistic-order.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { EpisodeRow } from './EpisodeRow.tsx'
import { ProcessingProgress } from './ProcessingProgress.tsx'
import { episodesQuery, videoQuery } from '#web/studio/content/queries.ts'
import { subscribeToUploads, getQueuedUploads } from '#web/studio/content/uploads/upload-queue.ts'
import styles from '#web/studio/content/content.module.css'

/** The episodes with the state of their files. Their order can be changed. */
export function Episodes({ video: { id, free_episodes } }: { video: StudioVideo }) {
  const { t } = useTexts()
  const mayOrder = usePermissions()(reorderEpisodes)
  const isComing = useSyncExternalStore(subscribeToUploads, getQueuedUploads).some(
    ({ videoId }) => videoId === id,
  )
  const episodes = useQuery(episodesQuery(id, isComing))
  const { run } = useCommand(reorderEpisodes, null)
  const { ordered, order } = useOptimisticOrder(episodes.data?.list ?? [], idOf, async (list) => {
    await run({ video_id: id, episode_ids: list.map(idOf) })
    await episodes.refetch()
  })
  useRefetchVideo(id, episodes.data?.list)
  if (episodes.isLoadingError) return <LoadError onRetry={() => void episodes.refetch()} />
  if (!episodes.data) return <div className={styles.wait} aria-busy="true" />
  if (ordered.length === 0) return <p className={styles.empty}>{t('content.noEpisodes')}</p>
  // During a move, each episode already shows the number of its new position.
  const numbers = ordered.map(({ number }) => number).toSorted((a, b) => a - b)
  const list = ordered.map((episode, index) => ({ ...episode, number: numbers[index] ?? episode.number }))
  const row = (episode: StudioEpisode) => (
    <EpisodeRow at={episodes.dataUpdatedAt} episode={episode} isFree={episode.number <= free_episodes} />
  )
  return (
    <>
      <ProcessingProgress list={list} at={episodes.dataUpdatedAt} />
      {mayOrder ? (
        <SortableList
          items={list}
          keyOf={idOf}
          nameOf={({ number }) => t('content.episodeNumber', { number })}
          onOrder={order}
          dense
        >
          {row}
        </SortableList>
      ) : (
        <ol className={styles.episodes}>
          {list.map((episode) => (
            <li key={episode.id}>{row(episode)}</li>
          ))}
        </ol>
      )}
    </>
  )
}

const idOf = ({ id }: StudioEpisode) => id

/**
 * Refetches the video when the number of episodes or of playable episodes changes, because a processed episode may set
 * the cover or publish the video.
 */
function useRefetchVideo(id: string, list: readonly StudioEpisode[] | undefined): void {
  const client = useQueryClient()
  const known = useRef<string>(undefined)
  const now = list && `${list.length} ${list.filter(({ playable }) => playable).length}`
  useEffect(() => {
    if (known.current !== undefined && known.current !== now)
      void client.invalidateQueries({ queryKey: videoQuery(id).queryKey })
    known.current = now
  }, [client, id, now])
}
