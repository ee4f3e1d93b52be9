import { describe, expect, it } from 'vitest'
import { parseFileName } from '#contract/studio/parse-file-name.ts'
import { assignEpisodes, rangesOf, type AssignedFile } from './assign-episodes.ts'

describe('a season', () => {
  const placed = (...names: string[]): AssignedFile<string>[] =>
    names.flatMap((file) => {
      const { kind, number, language } = parseFileName(file)
      return kind === 'film' || kind === 'captions' ? [{ file, kind, number, language }] : []
    })

  it('sorts by episode, videos before their captions', () => {
    const { files, gaps } = assignEpisodes(placed('10.mp4', '2.mp4', '1.en.vtt', '1.mp4'), new Set())
    expect(files.map(({ file }) => file)).toEqual(['1.mp4', '1.en.vtt', '2.mp4', '10.mp4'])
    expect(gaps).toEqual([3, 4, 5, 6, 7, 8, 9])
  })

  it('counts existing episodes, and marks files that replace the video of an existing episode', () => {
    const { files, gaps } = assignEpisodes(placed('3.mp4', '5.mp4', '1.de.srt'), new Set([1, 2, 3]))
    expect(files.map(({ problem, replaces }) => [problem, replaces])).toEqual([
      [undefined, false],
      [undefined, true],
      [undefined, false],
    ])
    expect(gaps).toEqual([4])
  })

  it('reports the problems that prevent the upload', () => {
    const { files } = assignEpisodes(
      placed('1.mp4', 'ep1.mov', 'trailer.mp4', '2.en.vtt', '1.it.vtt'),
      new Set(),
    )
    expect(new Map(files.map(({ file, problem }) => [file, problem]))).toEqual(
      new Map([
        ['trailer.mp4', 'noNumber'],
        ['1.mp4', 'duplicate'],
        ['ep1.mov', 'duplicate'],
        ['1.it.vtt', 'noLanguage'],
        ['2.en.vtt', 'noEpisode'],
      ]),
    )
  })
})

it('formats numbers as ranges', () => {
  expect(rangesOf([3, 1, 2, 2, 7, 9, 10])).toBe('1–3, 7, 9–10')
  expect(rangesOf([])).toBe('')
})
