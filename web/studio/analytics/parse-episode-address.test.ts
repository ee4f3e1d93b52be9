import { expect, it } from 'vitest'
import { parseEpisodeAddress } from './parse-episode-address.ts'

it.each([
  ['https://example.com/videos/vid_1?episode=3', { video_id: 'vid_1', episode: 3 }],
  [' /videos/vid_1 ', { video_id: 'vid_1', episode: 1 }],
  ['https://example.com/videos/vid_1?token=a', { video_id: 'vid_1', episode: 1 }],
  ['vid_1', { video_id: 'vid_1', episode: 1 }],
  ['Tower', undefined],
  ['https://example.com/browse/cat_1', undefined],
  ['/videos/vid_1?episode=two', undefined],
  ['https://example.com/videos/%', undefined],
  ['', undefined],
])('parses %j as %j', (address, episode) => {
  expect(parseEpisodeAddress(address)).toEqual(episode)
})
