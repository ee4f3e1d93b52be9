import { expect, test } from 'vitest'
import { groupSegments } from './join-audio.ts'
import { joinSegments } from '#server/features/media/ingest/files/mp4-boxes.ts'
import { measureBitRates, parsePlaylist, writeMaster, writePlaylist } from './playlists.ts'

const segment = (duration: number, bytes = 0) => ({ uri: 's.m4s', duration, bytes })

test('the peak is the highest rate of consecutive segments that together last one to three seconds', () => {
  expect(measureBitRates([segment(1, 1000), segment(2, 1000), segment(2, 1000)])).toEqual({
    average: 4800,
    peak: 8000,
  })
  // A last segment of 0.2 s counts together with the segment before it, not alone.
  expect(measureBitRates([segment(2, 1000), segment(0.2, 1000)])).toEqual({ average: 7273, peak: 7273 })
})

test('audio segments of one second are grouped to match the video: first four single segments, then pairs', () => {
  const durations = (count: number, last = 1) =>
    groupSegments(Array.from({ length: count }, (_, index) => segment(index === count - 1 ? last : 1))).map(
      (group) => group.length,
    )
  expect(durations(1)).toEqual([1])
  expect(durations(2)).toEqual([1, 1])
  expect(durations(7)).toEqual([1, 1, 1, 1, 2, 1])
  expect(durations(8)).toEqual([1, 1, 1, 1, 2, 2])
  expect(durations(7, 0.1)).toEqual([1, 1, 1, 1, 3])
  expect(durations(4, 0.1)).toEqual([1, 1, 2])
})

test('joined segments have all fragments in order after one header, without the index', () => {
  const box = (type: string, body: string) => {
    const bytes = Buffer.alloc(8 + body.length)
    bytes.writeUInt32BE(bytes.length, 0)
    bytes.write(type + body, 4)
    return bytes
  }
  const part = (name: string) =>
    Buffer.concat([box('styp', 'x'), box('sidx', 'x'), box('moof', name), box('mdat', name)])
  const joined = joinSegments([part('one'), part('two')])
  expect(
    joined.equals(
      Buffer.concat([
        box('styp', 'x'),
        box('moof', 'one'),
        box('mdat', 'one'),
        box('moof', 'two'),
        box('mdat', 'two'),
      ]),
    ),
  ).toBe(true)
  expect(() => joinSegments([part('one').subarray(0, -1)])).toThrow('incomplete')
})

test('a written playlist is parsed to the same segments, with relative names only', () => {
  const segments = [
    { uri: '00000.m4s', duration: 1.001 },
    { uri: '00001.m4s', duration: 2.002 },
  ]
  const text = writePlaylist(segments)
  expect(parsePlaylist(text)).toEqual(segments)
  expect(text).toContain('#EXT-X-ENDLIST')
  expect(text).not.toMatch(/\/\/|\n\//)
})

test('for each rendition, the master playlist states size, codecs and measured rates including audio', () => {
  const video = {
    folder: 'v0',
    segments: [segment(1, 10_000), segment(2, 20_000)],
    codec: 'avc1.64001e',
    width: 480,
    height: 204,
  }
  const audio = { folder: 'a', segments: [segment(1, 1000)], codec: 'mp4a.40.2' }
  expect(writeMaster([video], audio, 24)).toContain(
    '#EXT-X-STREAM-INF:BANDWIDTH=88000,AVERAGE-BANDWIDTH=88000,CODECS="avc1.64001e,mp4a.40.2",RESOLUTION=480x204,FRAME-RATE=24.000,AUDIO="a"\nv0/index.m3u8',
  )
  expect(writeMaster([video], undefined, 24)).not.toContain('AUDIO')
})
