import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeMs, TestProgress } from './test-progress.mjs'

let dir: string
let now: number
let lines: string[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cliffhanger-progress-'))
  now = 0
  lines = []
})
afterEach(() => rmSync(dir, { recursive: true }))

const run = (files: Record<string, number | undefined>) =>
  new TestProgress('some', new Map(Object.entries(files)), {
    dir,
    now: () => now,
    print: (line) => lines.push(line),
  })

/** Simulates a file whose tests each take `secondsEach`. */
function runFile(progress: TestProgress, file: string, tests: number, secondsEach: number): void {
  progress.begin(file, tests)
  for (let test = 0; test < tests; test++) {
    now += secondsEach * 1000
    progress.done(file)
  }
}

test('prints the completed tests, and the remaining time at the current pace', () => {
  const progress = run({ a: 20, b: 1180 })
  runFile(progress, 'a', 20, 1)
  progress.begin('b', 1180)
  for (let each = 0; each < 280; each++) progress.done('b')
  expect(progress.line()).toBe('300 of 1,200 tests done, about 1 min 0 s left')
})

test('prints a line at most every five seconds', () => {
  runFile(run({ a: 12 }), 'a', 12, 1)
  expect(lines).toEqual(['5 of 12 tests done, about 7 s left', '10 of 12 tests done, about 2 s left'])
})

test('estimates the number of tests in files that have not started', () => {
  const progress = run({ a: undefined, b: undefined })
  progress.begin('a', 4)
  expect(progress.line()).toBe('0 of about 14 tests done')
  progress.begin('b', 6)
  expect(progress.line()).toBe('0 of 10 tests done')
})

test('estimates the duration of files from the last run', () => {
  const first = run({ slow: 2, quick: 2 })
  runFile(first, 'slow', 2, 50)
  runFile(first, 'quick', 2, 1)
  first.end()
  const second = run({ slow: undefined, quick: undefined })
  expect(second.line()).toBe('0 of about 4 tests done, about 1 min 42 s left')
  runFile(second, 'slow', 2, 25)
  expect(second.line()).toBe('2 of about 4 tests done, about 1 s left')
})

test('a partial run keeps the durations of other files', () => {
  const whole = run({ slow: 1, quick: 1 })
  runFile(whole, 'slow', 1, 50)
  runFile(whole, 'quick', 1, 2)
  whole.end()
  const part = run({ quick: undefined })
  expect(part.line()).toBe('0 of about 1 tests done, about 2 s left')
  runFile(part, 'quick', 1, 4)
  part.end()
  expect(run({ slow: undefined, quick: undefined }).line()).toBe('0 of about 2 tests done, about 54 s left')
})

test.each([
  [400, '0 s'],
  [59_000, '59 s'],
  [60_000, '1 min 0 s'],
  [754_000, '12 min 34 s'],
])('%i ms are %s', (ms, words) => expect(describeMs(ms)).toBe(words))
