import { findRunning, variantOf, type Running, type RunningExperiment } from './assign-variant.ts'

/** The number of free episodes of a video for one viewer. */
export interface FreeEpisodes {
  count: number
  /** The lowest number of free episodes in any variant. */
  minCount: number
  /** The experiment that sets the number. A viewer who requests an episode beyond `minCount` is exposed to it. */
  experiment?: RunningExperiment
}

/**
 * Returns the number of free episodes of a video for a viewer. An experiment on the video takes precedence over a
 * site-wide one. A viewer without an id gets the episodes that are free in every variant.
 */
export function freeEpisodesFor(
  running: Running,
  viewerId: string | undefined,
  video: { id: string; free_episodes: number },
): FreeEpisodes {
  const defaultCount = video.free_episodes
  const experiment =
    findRunning(running, 'free_episodes', video.id) ?? findRunning(running, 'free_episodes', null)
  if (!experiment) return { count: defaultCount, minCount: defaultCount }
  const counts = experiment.variants.map(({ free_episodes = defaultCount }) => free_episodes)
  const minCount = Math.min(...counts)
  const count = viewerId === undefined ? minCount : (counts[variantOf(experiment, viewerId)] ?? defaultCount)
  return { count, minCount, experiment }
}
