import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lavfi } from '#server/testing/media/flash-and-beep.ts'
import { setDisplayMatrix, type DisplayMatrix } from '#server/testing/media/rotate-mp4.ts'
import { brightnessProfile, ffmpeg, programs } from '#server/testing/media/test-media.ts'
import { transcode } from './transcode.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-mirrored-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Case {
  name: string
  matrix: DisplayMatrix
  size: { width: number; height: number }
  darker: { right: boolean; down: boolean }
}

/** The source frame gets darker by 120 levels to the right, and by 80 levels downwards. */
const cases: Case[] = [
  {
    name: 'from left to right',
    matrix: [-1, 0, 0, 1],
    size: { width: 320, height: 180 },
    darker: { right: false, down: true },
  },
  {
    name: 'upside down',
    matrix: [1, 0, 0, -1],
    size: { width: 320, height: 180 },
    darker: { right: true, down: false },
  },
  {
    name: 'and rotates it clockwise',
    matrix: [0, 1, 1, 0],
    size: { width: 180, height: 320 },
    darker: { right: true, down: true },
  },
  {
    name: 'and rotates it anticlockwise',
    matrix: [0, -1, -1, 0],
    size: { width: 180, height: 320 },
    darker: { right: false, down: false },
  },
]

test.each(cases)(
  'a film is shown as its container states if the container mirrors it $name',
  async ({ name, matrix, size, darker }) => {
    const input = join(root, `${name}.mp4`)
    const shaded = "nullsrc=size=320x180:rate=25:duration=1,format=gray,geq=lum='235-120*X/W-80*Y/H'"
    ffmpeg(...lavfi(shaded), '-pix_fmt', 'yuv420p', input)
    setDisplayMatrix(input, matrix)
    const folder = join(root, name)
    mkdirSync(folder)
    const { signal } = new AbortController()
    const result = await transcode({ programs, input, folder, niceness: 0, signal, onProgress: () => {} })
    expect(result).toMatchObject(size)
    const { row, column } = brightnessProfile(join(folder, 'media/v0/index.m3u8'), 4)
    const falls = ([first = 0, , , last = 0]: number[]) => last < first
    expect({ right: falls(row), down: falls(column) }).toEqual(darker)
  },
)
