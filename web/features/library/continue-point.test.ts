import { expect, it } from 'vitest'
import type { HistoryEntry } from '#contract/library.ts'
import { continuePointOf } from './continue-point.ts'

const entryAt = (
  number: number,
  position_ms: number,
  next_number: number | null,
  duration_ms = 60_000,
): HistoryEntry => ({
  video: {
    id: 'vid_1',
    title: 'Salt',
    cover_url: null,
    cover_color: '#000000',
    episode_count: 6,
    free_episodes: 3,
    play_count: 0,
    tags: [],
    badge: null,
  },
  episode: { id: `ep_${number}`, number, title: '', duration_ms },
  position_ms,
  next_number,
  at: '2026-11-29T12:00:00.000Z',
})

it.each([
  {
    name: 'the episode that was left in the middle',
    entry: entryAt(2, 30_000, 3),
    point: { number: 2, watched: 0.5 },
  },
  {
    name: 'the next playable episode after a finished one',
    entry: entryAt(2, 59_000, 4),
    point: { number: 4, watched: 0 },
  },
  { name: 'no episode after the last one', entry: entryAt(6, 60_000, null), point: undefined },
  {
    name: 'an episode of unknown duration',
    entry: entryAt(6, 5000, null, 0),
    point: { number: 6, watched: 0 },
  },
])('a viewer continues with $name', ({ entry, point }) => {
  expect(continuePointOf(entry)).toEqual(point)
})
