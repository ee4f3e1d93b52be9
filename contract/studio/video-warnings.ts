/** Warnings to the operator about a video. */
export const priceWarnings = ['episodePriceAboveVideo', 'allEpisodesFree'] as const
export const videoWarnings = [...priceWarnings, 'categoryUntranslated', 'tagsUntranslated'] as const
export type VideoWarning = (typeof videoWarnings)[number]

/**
 * Returns price warnings: an episode costs more than the whole video, or no episode is locked. A whole video may cost
 * more than its current episodes together, because the price of a running series also covers later episodes.
 */
export function priceWarningsOf(video: {
  free_episodes: number
  episode_count: number
  episode_cents: number
  video_cents: number
}): (typeof priceWarnings)[number][] {
  const { free_episodes, episode_count, episode_cents, video_cents } = video
  if (episode_count > 0 && free_episodes >= episode_count) return ['allEpisodesFree']
  return episode_cents > video_cents ? ['episodePriceAboveVideo'] : []
}
