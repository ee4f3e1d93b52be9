import { expect, test } from 'vitest'
import { createProgressSaver, type WatchPosition } from './progress-saver.ts'

function setUp() {
  const sent: { positionMs: number; episodeId: string }[] = []
  let now = 0
  const saver = createProgressSaver(
    async ({ positionMs, episodeId }) => sent.push({ positionMs, episodeId }),
    () => new Date(now),
  )
  const play = (seconds: number, episodeId = 'ep_1', atSecond = seconds) => {
    now = seconds * 1000
    const place: WatchPosition = { videoId: 'vid_1', episodeId, positionMs: atSecond * 1000 }
    saver.report(place)
  }
  return { sent, saver, play }
}

test('saves a position at once, then every 15 s of playback', () => {
  const { sent, play } = setUp()
  for (let second = 0; second <= 35; second++) play(second)
  expect(sent.map(({ positionMs }) => positionMs)).toEqual([0, 15_000, 30_000])
})

test('saves the target of a seek in either direction at once, but not twice within a second', () => {
  const { sent, play } = setUp()
  play(0)
  play(2, 'ep_1', 40)
  play(2.2, 'ep_1', 50)
  play(2.4, 'ep_1', 60)
  play(3, 'ep_1', 60.6)
  play(4, 'ep_1', 61.6)
  play(6, 'ep_1', 10)
  expect(sent.map(({ positionMs }) => positionMs)).toEqual([0, 40_000, 60_600, 10_000])
})

test('saves the position immediately on a pause, and only once', () => {
  const { sent, saver, play } = setUp()
  play(0)
  play(3)
  void saver.flush()
  void saver.flush()
  expect(sent).toEqual([
    { positionMs: 0, episodeId: 'ep_1' },
    { positionMs: 3000, episodeId: 'ep_1' },
  ])
})

test('saves the position in a new episode at once, even right after a save in the previous episode', () => {
  const { sent, play } = setUp()
  play(0)
  play(2)
  play(3, 'ep_2')
  expect(sent.map(({ episodeId, positionMs }) => [episodeId, positionMs])).toEqual([
    ['ep_1', 0],
    ['ep_2', 3000],
  ])
})
