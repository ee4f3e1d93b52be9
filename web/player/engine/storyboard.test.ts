import { expect, test } from 'vitest'
import { frameAt, parseStoryboard } from './storyboard.ts'

const text = `WEBVTT

00:00.000 --> 00:02.000
board.jpg#xywh=0,0,90,160

2
00:00:02.000 --> 01:00:04.500
board.jpg#xywh=90,0,90,160

00:05.000 --> 00:06.000
no picture here
`
const frames = parseStoryboard(text, 'https://site.test/media/signature/asset/storyboard.vtt')

test('parses cues with or without hours and a cue number, and skips cues without an image', () => {
  expect(frames).toEqual([
    {
      fromMs: 0,
      toMs: 2000,
      url: 'https://site.test/media/signature/asset/board.jpg',
      x: 0,
      y: 0,
      width: 90,
      height: 160,
    },
    {
      fromMs: 2000,
      toMs: 3604500,
      url: 'https://site.test/media/signature/asset/board.jpg',
      x: 90,
      y: 0,
      width: 90,
      height: 160,
    },
  ])
})

test('returns the frame at a time, the last frame after the end, and undefined if there are no frames', () => {
  expect(frameAt(frames, 1999)?.x).toBe(0)
  expect(frameAt(frames, 2000)?.x).toBe(90)
  expect(frameAt(frames, 9e9)?.x).toBe(90)
  expect(frameAt([], 0)).toBeUndefined()
})
