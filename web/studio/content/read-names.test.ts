import { describe, expect, it } from 'vitest'
import { arrange, rangesOf, readName, type Placed } from './read-names.ts'

describe('the name of a file', () => {
  it.each([
    ['01.mp4', 1],
    ['season/12.MOV', 12],
    ['Episode 12.mov', 12],
    ['Ep_7 - The Kiss.mp4', 7],
    ['S01E07.mkv', 7],
    ['Love.S02.E11.1080p.x264.mp4', 11],
    ['1x07.mp4', 7],
    ['Folge 3 (2024).mp4', 3],
    ['12 Angry sisters 2.mp4', 12],
    ['The billionaire 2024 1080p 05.mp4', 5],
    ['drama-final-9.webm', 9],
    ['épisode 4.ts', 4],
    ['Sleep 8.mp4', 8],
    ['2024.mp4', 2024],
    ['00.mp4', undefined],
    ['trailer.mp4', undefined],
    ['20260101.mp4', undefined],
  ])('%s is episode %s', (name, number) => {
    expect(readName(name)).toMatchObject({ kind: 'film', number })
  })

  it.each([
    ['01.en.vtt', 1, 'en'],
    ['S01E07.de.srt', 7, 'dy'],
    ['Episode 12_fr.vtt', 12, 'fy'],
    ['03-pt-BR.srt', 3, 'pt'],
    ['03.spa.srt', 3, 'es'],
    ['01 Le pas-en.vtt', 1, 'en'],
    ['03.it.srt', 3, undefined],
    ['03.srt', 3, undefined],
  ])('%s is captions of episode %s in %s', (name, number, language) => {
    expect(readName(name)).toEqual({ kind: 'captions', number, language })
  })

  it.each([
    ['salt/cover.JPG', 'cover'],
    ['cover.avif', 'cover'],
    ['poster.jpg', 'other'],
    ['salt/video.yaml', 'description'],
    ['other.yaml', 'other'],
    ['._01.mp4', 'other'],
    ['.DS_Store', 'other'],
  ])('%s is of kind %s', (name, kind) => {
    expect(readName(name).kind).toBe(kind)
  })
})

describe('a season', () => {
  const placed = (...names: string[]): Placed<string>[] =>
    names.flatMap((file) => {
      const { kind, number, language } = readName(file)
      return kind === 'film' || kind === 'captions' ? [{ file, kind, number, language }] : []
    })

  it('stands in order, films before their captions', () => {
    const { files, gaps } = arrange(placed('10.mp4', '2.mp4', '1.en.vtt', '1.mp4'), new Set())
    expect(files.map(({ file }) => file)).toEqual(['1.mp4', '1.en.vtt', '2.mp4', '10.mp4'])
    expect(gaps).toEqual([3, 4, 5, 6, 7, 8, 9])
  })

  it('counts what the video has already, and says what a file takes the place of', () => {
    const { files, gaps } = arrange(placed('3.mp4', '5.mp4', '1.de.srt'), new Set([1, 2, 3]))
    expect(files.map(({ trouble, replaces }) => [trouble, replaces])).toEqual([
      [undefined, false],
      [undefined, true],
      [undefined, false],
    ])
    expect(gaps).toEqual([4])
  })

  it('names what keeps it from beginning', () => {
    const { files } = arrange(placed('1.mp4', 'ep1.mov', 'trailer.mp4', '2.en.vtt', '1.it.vtt'), new Set())
    expect(new Map(files.map(({ file, trouble }) => [file, trouble]))).toEqual(
      new Map([
        ['trailer.mp4', 'noNumber'],
        ['1.mp4', 'double'],
        ['ep1.mov', 'double'],
        ['1.it.vtt', 'noLanguage'],
        ['2.en.vtt', 'noEpisode'],
      ]),
    )
  })
})

it('numbers are told in ranges', () => {
  expect(rangesOf([3, 1, 2, 2, 7, 9, 10])).toBe('1–3, 7, 9–10')
  expect(rangesOf([])).toBe('')
})
