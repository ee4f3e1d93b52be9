import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTestVideo, programs } from '#server/testing/media/test-media.ts'
import { allowedCores, runLimited, timeLimit } from './run-ffmpeg.ts'
import { isFull, transcode } from '#server/features/media/ingest/convert/transcode.ts'
import type { Programs } from '#server/features/media/ingest/convert/programs.ts'
import { UnusableFile } from './unusable-file.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-limits-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const megabyte = 1024 ** 2
/** Test timeout in milliseconds, which is high because a busy machine is slow with large or long films. */
const timeout = 300_000

async function printed(script: string, limits?: { cores?: number; memory?: number }): Promise<string[]> {
  const lines: string[] = []
  const { cores, memory = 6144 * megabyte } = limits ?? {}
  const shell = { program: '/bin/sh', args: ['-c', script], timeoutMs: timeout }
  await runLimited({ ...shell, limits: { cores, memory }, onLine: (line) => lines.push(line) })
  return lines
}

test('a run has limits on cores, file size and reserved memory, and writes no core dump', async () => {
  expect(await printed('ulimit -d; nproc; ulimit -c', { cores: 1, memory: 700 * megabyte })).toEqual([
    String(((700 + 8 * 1024) * megabyte) / 1024),
    '1',
    '0',
  ])
  expect(await printed('ulimit -f')).toEqual([String((8 * 1024 * megabyte) / 512)])
})

test.each([
  ['0-3', [0, 1, 2, 3]],
  ['0-1,5,7-8', [0, 1, 5, 7, 8]],
])('the allowed cores are read from %s', (list, cores) => {
  expect(allowedCores(`Name:\tnode\nCpus_allowed_list:\t${list}\nMems_allowed:\t1\n`)).toEqual(cores)
})

const run = async (changed: Partial<Programs>, film: string) => {
  const { signal } = new AbortController()
  const folder = mkdtempSync(join(root, 'made-'))
  return transcode({
    programs: { ...programs, ...changed },
    input: join(root, film),
    folder,
    niceness: 0,
    signal,
    onProgress: () => {},
  })
}

test(
  'a film that needs more memory than allowed is refused with a readable reason',
  { timeout },
  async () => {
    makeTestVideo(join(root, 'large.mp4'), { size: '3840x2160', seconds: 1, sound: false, rate: '10' })
    const limits = { cores: undefined, memory: 200 * megabyte }
    await expect(run({ limits }, 'large.mp4')).rejects.toThrow(
      'needs more memory than the limit for one file',
    )
  },
)

test("the memory of a conversion does not grow with the film's duration", { timeout }, async () => {
  makeTestVideo(join(root, 'long.mp4'), { size: '640x360', seconds: 40, sound: false, rate: '25' })
  const limits = { cores: undefined, memory: 300 * megabyte }
  expect(await run({ limits }, 'long.mp4')).toMatchObject({ durationMs: 40_000 })
})

test.each(['exec "$0" -e "$1"', '"$0" -e "$1" & wait'])(
  'a program that takes too much memory is killed even if a shell has started it (%s)',
  async (script) => {
    const greedy = 'globalThis.taken = Buffer.alloc(300 * 1024 ** 2, 1); setInterval(() => {}, 1000)'
    const limits = { cores: undefined, memory: 200 * megabyte }
    const args = ['-c', script, process.execPath, greedy]
    await expect(runLimited({ program: '/bin/sh', args, limits, timeoutMs: 60_000 })).rejects.toThrow(
      'needs more memory than the limit for one file',
    )
  },
)

describe('a converter that fails', () => {
  const ended = async (name: string, script: string): Promise<unknown> => {
    makeTestVideo(join(root, 'small.mp4'), { size: '64x64', seconds: 1, sound: false })
    const ffmpegPath = join(root, name)
    writeFileSync(ffmpegPath, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return run({ ffmpegPath }, 'small.mp4').then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  test('with the exit status for lack of memory is reported as out of memory, whatever it prints', async () => {
    const error = await ended('no-memory', 'echo "Nothing was written" >&2; exit 244')
    expect(error).toMatchObject({ name: 'UnusableFile', reason: { key: 'tooMuchMemory' } })
  })

  test('with its own message is quoted', async () => {
    const error = await ended('odd-words', 'echo "[out] Cannot do it" >&2; exit 1')
    expect(error).toMatchObject({ reason: { key: 'converterSays', said: 'Cannot do it' } })
  })

  test.each([
    [
      'without its libraries',
      'echo "ffmpeg: libx.so: failed to map segment" >&2; exit 127',
      'not be started',
    ],
    ['without the right to run', 'exit 126', 'not be started'],
    ['on a full disk, with the status of newer builds', 'exit 228', 'The disk is full.'],
    [
      'on a full disk, with the message of older builds',
      'echo "av_write(): No space left on device" >&2; exit 1',
      'full',
    ],
    [
      'with a segment cut short',
      `${programs.ffmpegPath} "$@" || exit; [ ! -d v0 ] || echo 1 > v0/00000.m4s`,
      'incomplete',
    ],
  ])('%s does not make the file unusable', async (name, script, words) => {
    const error = await ended(name.replaceAll(' ', '-'), script)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(UnusableFile)
    expect(String(error)).toContain(words)
  })
})

test('a disk counts as full if it has almost no free space, unless it reports a size of 0 blocks', () => {
  expect(isFull({ blocks: 1000, bavail: 3, bsize: 4096 })).toBe(true)
  expect(isFull({ blocks: 1000, bavail: 500, bsize: 4096 })).toBe(false)
  expect(isFull({ blocks: 0, bavail: 0, bsize: 4096 })).toBe(false)
})

test('the time limit of a film is sixty times its duration plus ten minutes', () => {
  expect(timeLimit(600).timeoutMs).toBe(600_000 * 60 + 600_000)
})

test('a run that exceeds its time limit is killed with its child processes', async () => {
  const shell = { program: '/bin/sh', args: ['-c', 'sleep 30 & wait'], timeoutMs: 50 }
  await expect(runLimited(shell)).rejects.toThrow('takes too long')
})

test.each(['SIGKILL', 'SIGTERM'])(
  'a run that is killed externally by %s does not make the file unusable',
  async (signal) => {
    const error: unknown = await printed(`kill -${signal.slice(3)} $$; sleep 5`).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(UnusableFile)
  },
)

test('a file is unusable if the program crashes', async () => {
  await expect(printed('kill -SEGV $$; sleep 5')).rejects.toThrow(UnusableFile)
})

test('a converter that exits with 255, as after a SIGTERM, does not make the file unusable', async () => {
  const converter = join(root, 'ffmpeg')
  writeFileSync(converter, '#!/bin/sh\nexit 255\n', { mode: 0o755 })
  await expect(runLimited({ program: converter, args: [], timeoutMs: timeout })).rejects.toThrow(
    'killed externally',
  )
})
