// Prints how many tests are done while they run. Estimates the remaining time from each file's duration in the last
// run.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '#scripts/setup.mjs'

const defaultDir = join(root, '.cache', 'test-durations')
/** Estimate for each file if there is no earlier run. */
const unknown = { tests: 10, ms: 1000 }
/**
 * Until this share of the work is done, the estimate uses only the durations of the last run, because the pace of this
 * run is not yet known.
 */
const shareToJudgeBy = 0.05

/**
 * Counts completed tests and prints a progress line at intervals. A test runner calls `begin` when a file starts,
 * `done` after each test, and `end` after the last test. The duration of each file is stored for the next run.
 */
export class TestProgress {
  #files = new Map()
  #name
  #options
  #startedAt
  #printedAt
  #usualMs

  /**
   * @param {string} name of the kind of tests, such as `unit`
   * @param {Map<string, number | undefined>} files the files to run, with their number of tests if known
   * @param {{ print?: (line: string) => void, now?: () => number, everyMs?: number, dir?: string }} [options]
   *   `everyMs`: minimum time between two lines
   */
  constructor(name, files, options = {}) {
    this.#name = name
    this.#options = { print: console.log, now: Date.now, everyMs: 5000, dir: defaultDir, ...options }
    this.#startedAt = this.#printedAt = this.#options.now()
    const last = this.#readLast()
    const usual = meanOf(Object.values(last.files))
    for (const [file, tests] of files) {
      const expected = last.files[file] ?? usual
      const perTest = expected.ms / expected.tests
      this.#files.set(file, {
        tests: tests ?? expected.tests,
        isCounted: tests !== undefined,
        perTest,
        done: 0,
        tookMs: 0,
      })
    }
    const lastWork = sum(Object.values(last.files), ({ ms }) => ms)
    this.#usualMs = lastWork > 0 ? (last.ms * this.#work()) / lastWork : undefined
  }

  /** Records the start of a file, and its number of tests. */
  begin(file, tests) {
    const known = this.#files.get(file)
    if (known) Object.assign(known, { tests, isCounted: true, since: this.#options.now() })
  }

  /** Records the end of one test in a file. */
  done(file) {
    const known = this.#files.get(file)
    const now = this.#options.now()
    if (known) {
      known.done++
      known.tookMs += now - (known.since ?? now)
      known.since = now
    }
    if (now - this.#printedAt < this.#options.everyMs) return
    this.#printedAt = now
    this.#options.print(this.line())
  }

  /** Returns a line such as `412 of 3,100 tests done, about 2 min 10 s left`. */
  line() {
    const files = [...this.#files.values()]
    const total = sum(files, ({ tests }) => tests)
    const about = files.every(({ isCounted }) => isCounted) ? '' : 'about '
    const remainingMs = this.#msLeft()
    const rest = remainingMs === undefined ? '' : `, about ${describeMs(remainingMs)} left`
    return `${count(sum(files, ({ done }) => done))} of ${about}${count(total)} tests done${rest}`
  }

  /** Stores the duration of each file. After a partial run, the stored durations of the other files remain. */
  end() {
    const last = this.#readLast()
    const ran = [...this.#files].filter(([, { done }]) => done > 0)
    const files = Object.fromEntries(
      ran.map(([file, { done, tookMs }]) => [file, { tests: done, ms: tookMs }]),
    )
    const work = sum(Object.values(files), ({ ms }) => ms)
    const elapsed = this.#options.now() - this.#startedAt
    const all = { ...last.files, ...files }
    const allWork = sum(Object.values(all), ({ ms }) => ms)
    mkdirSync(this.#options.dir, { recursive: true })
    // Renamed when complete, because another suite may read it at the same time.
    const draft = `${this.#record}.${process.pid}`
    writeFileSync(draft, JSON.stringify({ ms: work > 0 ? (elapsed * allWork) / work : 0, files: all }))
    renameSync(draft, this.#record)
  }

  get #record() {
    return join(this.#options.dir, `${this.#name}.json`)
  }

  #readLast() {
    return existsSync(this.#record) ? JSON.parse(readFileSync(this.#record, 'utf8')) : { ms: 0, files: {} }
  }

  #work(of = ({ tests }) => tests) {
    return sum([...this.#files.values()], (file) => of(file) * file.perTest)
  }

  #msLeft() {
    const share = this.#work(({ done }) => done) / this.#work()
    const elapsed = this.#options.now() - this.#startedAt
    if (share >= shareToJudgeBy) return Math.max(0, (elapsed * (1 - share)) / share)
    return this.#usualMs === undefined ? undefined : Math.max(0, this.#usualMs - elapsed)
  }
}

function meanOf(files) {
  if (files.length === 0) return unknown
  const mean = (of) => sum(files, of) / files.length
  return { tests: Math.round(mean(({ tests }) => tests)), ms: mean(({ ms }) => ms) }
}

const sum = (items, of) => items.reduce((total, item) => total + of(item), 0)
const count = (number) => number.toLocaleString('en')

/** Returns a duration such as `2 min 10 s`. */
export function describeMs(ms) {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
