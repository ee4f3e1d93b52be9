import { describe, expect, it } from 'vitest'
import { parseFileName } from '#contract/studio/parse-file-name.ts'

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
    ['S01E04.mp4', 4],
    ['Episode 5.mp4', 5],
    ['00012.MTS', undefined],
    ['0012.MTS', 12],
    ['Episode 6.m2ts', 6],
    ['Part 2 - Episode 05.mp4', 5],
    ['Teil 1 Folge 3.mp4', 3],
    ['Kapitel 5 Teil 2.mp4', 5],
    ['Teil 4.mp4', 4],
    ['Drama 03 DDP5.1.mkv', 3],
    ['My Show 03 AAC2.0.mkv', 3],
    ['Drama 03 (1).mp4', 3],
    ['Drama 07 v2.mp4', 7],
    ['365 Days 01.mp4', 1],
    ['365 Days 02.mp4', 2],
  ])('%s is episode %s', (name, number) => {
    expect(parseFileName(name)).toMatchObject({ kind: 'film', number })
  })

  it.each([
    ['01.en.vtt', 1, 'en'],
    ['S01E07.de.srt', 7, 'dy'],
    ['Episode 12_fr.vtt', 12, 'fy'],
    ['03-pt-BR.srt', 3, 'pt'],
    ['03.spa.srt', 3, 'es'],
    ['01 Le pas-en.vtt', 1, 'en'],
    ['03.pt-BR.vtt', 3, 'pt'],
    ['03.pt_BR.vtt', 3, 'pt'],
    ['03.es-419.vtt', 3, 'es'],
    ['03.fr.vtt', 3, 'fy'],
    ['03.fy.vtt', 3, 'fy'],
    ['03.en.sdh.vtt', 3, 'en'],
    ['03.sdh.en.vtt', 3, 'en'],
    ['03.en-US.forced.default.vtt', 3, 'en'],
    ['03 [Français] (SDH).srt', 3, 'fy'],
    ['3_English.srt', 3, 'en'],
    ['S01E04.German.ass', 4, 'dy'],
    ['Episode 5.ger.cc.ssa', 5, 'dy'],
    ['03.sdh.vtt', 3, undefined],
    ['03.hi.vtt', 3, undefined],
    ['03.it.srt', 3, undefined],
    ['03.srt', 3, undefined],
  ])('%s is captions of episode %s in %s', (name, number, language) => {
    expect(parseFileName(name)).toEqual({ kind: 'captions', number, language })
  })

  it.each([
    ['salt/cover.JPG', 'cover'],
    ['cover.avif', 'cover'],
    ['cover.heic', 'cover'],
    ['poster.jpg', 'other'],
    ['04.avi', 'other'],
    ['salt/video.yaml', 'description'],
    ['other.yaml', 'other'],
    ['._01.mp4', 'system'],
    ['.DS_Store', 'system'],
    ['salt/Thumbs.db', 'system'],
  ])('%s is of kind %s', (name, kind) => {
    expect(parseFileName(name).kind).toBe(kind)
  })
})
