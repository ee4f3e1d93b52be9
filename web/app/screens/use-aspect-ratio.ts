import { useQuery } from '@tanstack/react-query'
import { playbackQuery } from '#web/features/media/queries.ts'

/** Returns the aspect ratio (width / height) of the episode on screen; 9/16 until it is known. */
export function useAspectRatio(episodeId = ''): number {
  const { data } = useQuery({ ...playbackQuery(episodeId), enabled: false })
  if (data?.kind !== 'playable') return 9 / 16
  const { width, height } = data.playable.playback
  return height ? width / height : 9 / 16
}
