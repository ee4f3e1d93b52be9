import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawFilm, programs } from '#server/testing/run-test-media.ts'
import { probe, recognise } from './probe.ts'
import { UnusableFile } from './unusable-file.ts'

test.each([1, 2, 3])('a file of %d bytes is refused in words', (length) => {
  expect(() => recognise(Buffer.alloc(length, 'a'))).toThrow(UnusableFile)
  expect(() => recognise(Buffer.alloc(length, 0xff))).toThrow(UnusableFile)
})

test('Matroska is known by its first four bytes', () => {
  expect(recognise(Buffer.from('1a45dfa3', 'hex'))).toBe('matroska')
})

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-probe-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The first byte of a name in a transport stream selects its character set (ETSI EN 300 468, annex A). */
const characterSets = { none: '', cyrillic: '\u0001', latin: '\u000b', korean: '\u0012', unicode: '\u0015' }

test.each(Object.entries(characterSets))(
  'a transport stream is probed whose names are in the character set %s',
  async (name, first) => {
    const input = join(root, `${name}.ts`)
    const more = ['-metadata', `service_provider=${first}Cafe`, '-f', 'mpegts']
    drawFilm(input, { seconds: 1, more })
    expect(await probe(programs.ffprobePath, input)).toMatchObject({ container: 'mpegts', hasAudio: true })
  },
)
