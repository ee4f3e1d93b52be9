import { expect, test } from 'vitest'
import { makeCaptions } from './make-captions.ts'

const clean = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello\n'
const make = (text: string) => makeCaptions(Buffer.from(text))

test.each([
  ['clean WebVTT', clean],
  ['a mark and Windows line ends', `\uFEFF${clean.replaceAll('\n', '\r\n')}`],
  [
    'times without hours, a name and notes',
    'WEBVTT - English\n\nNOTE by me\n\nSTYLE\n::cue {}\n\nfirst\n00:01.000 --> 00:02.500\nHello\n',
  ],
  ['SubRip', '1\n00:00:01,000 --> 00:00:02,500\nHello\n'],
])('%s becomes clean WebVTT', (_, text) => {
  expect(make(text)).toBe(clean)
})

test('where and how a caption stands is kept, and two lines stay two', () => {
  expect(make('WEBVTT\n\n00:01.000 --> 00:02.000 line:10% align:start\nOne\nTwo\n')).toBe(
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.000 line:10% align:start\nOne\nTwo\n',
  )
})

test.each([
  ['', 'is empty'],
  ['WEBVTT\n', 'has no captions in it'],
  ['Dear diary,\nnothing happened.\n', 'has no times in line 2'],
  ['WEBVTT\n\n00:00:05.000 --> 00:00:01.000\nHello\n', 'line 3 that ends before it begins'],
  ['WEBVTT\n\n00:00:0x.000 --> 00:00:01.000\nHello\n', 'has no times in line 3'],
])('%j is refused: %s', (text, reason) => {
  expect(() => make(text)).toThrow(reason)
})

test('text that is not UTF-8 is refused', () => {
  expect(() => makeCaptions(Buffer.from(clean.replace('Hello', 'Caf\xe9'), 'latin1'))).toThrow(
    'is not UTF-8 text',
  )
})
