import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawFilm, programs } from '#server/testing/run-test-media.ts'
import { allowedCores, runLimited, timeLimit } from './run-ffmpeg.ts'
import { transcode } from './transcode.ts'
import { UnusableFile } from './unusable-file.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-limits-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const megabyte = 1024 ** 2

async function printed(script: string, limits?: { cores?: number; memory?: number }): Promise<string[]> {
  const lines: string[] = []
  const { cores, memory = 6144 * megabyte } = limits ?? {}
  const run = { program: '/bin/sh', args: ['-c', script], timeoutMs: 10_000 }
  await runLimited({ ...run, limits: { cores, memory }, onLine: (line) => lines.push(line) })
  return lines
}

test('a run has the memory, the cores and the size of file that the settings give it', async () => {
  expect(await printed('ulimit -v; nproc; ulimit -c', { cores: 1, memory: 700 * megabyte })).toEqual([
    String((700 * megabyte) / 1024),
    '1',
    '0',
  ])
  expect(await printed('ulimit -f')).toEqual([String((8 * 1024 * megabyte) / 512)])
})

test.each([
  ['0-3', [0, 1, 2, 3]],
  ['0-1,5,7-8', [0, 1, 5, 7, 8]],
])('the cores that may be used are read from %s', (list, cores) => {
  expect(allowedCores(`Name:\tnode\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`)).toEqual(cores)
})

test('a film that needs more memory than one may take is refused in words', async () => {
  const input = join(root, 'large.mp4')
  drawFilm(input, { size: '3840x2160', seconds: 1, sound: false, rate: '10' })
  const { signal } = new AbortController()
  const small = { ...programs, limits: { cores: undefined, memory: 250 * megabyte } }
  const made = transcode({ programs: small, input, folder: root, niceness: 0, signal, onProgress: () => {} })
  await expect(made).rejects.toThrow('needs more memory than one file may take')
})

test('a film may take sixty times as long as it lasts', () => {
  expect(timeLimit(600).timeoutMs).toBe(600_000 * 60 + 600_000)
})

test('a run that takes longer than its limit is ended, with what it has started', async () => {
  const run = { program: '/bin/sh', args: ['-c', 'sleep 30 & wait'], timeoutMs: 50 }
  await expect(runLimited(run)).rejects.toThrow('takes too long')
})

test.each(['SIGKILL', 'SIGTERM'])(
  'a run that somebody else ends by %s says nothing about the file',
  async (signal) => {
    const error: unknown = await printed(`kill -${signal.slice(3)} $$; sleep 5`).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(UnusableFile)
  },
)

test('a file that makes the program crash is not to be used', async () => {
  await expect(printed('kill -SEGV $$; sleep 5')).rejects.toThrow(UnusableFile)
})

test('a converter that is asked to end while it works leaves the file for another try', async () => {
  const converter = join(root, 'ffmpeg')
  writeFileSync(converter, '#!/bin/sh\nexit 255\n', { mode: 0o755 })
  await expect(runLimited({ program: converter, args: [], timeoutMs: 5000 })).rejects.toThrow(
    'ended from outside',
  )
})
