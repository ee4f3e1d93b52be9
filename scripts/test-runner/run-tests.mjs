// Runs Vitest and Playwright with their default output, and reads the failures from their report files in
// test-results/.
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { fastTempDir } from './fast-temp-dir.mjs'
import { root, run } from '#scripts/setup.mjs'

/**
 * Returns the seed of the random test order: `--seed=N`, otherwise TEST_SEED, otherwise a new one.
 * @returns {number}
 */
export function chooseSeed() {
  const { values } = parseArgs({ options: { seed: { type: 'string' } }, strict: false })
  const seed = values.seed ?? process.env['TEST_SEED']
  if (seed === undefined) return randomInt(1_000_000)
  if (!/^\d{1,9}$/.test(seed)) throw new Error(`The seed must be a whole number, not "${seed}".`)
  return Number(seed)
}

/**
 * How often a failed test is repeated. `.ci/run` sets TEST_RETRIES to 1, because one flaky test among thousands would
 * block all other work. A test that then passes is listed as flaky, and its cause has to be found.
 */
const retries = Number(process.env['TEST_RETRIES'] ?? 0)

/**
 * Flags of the processes that run tests and serve their sites. The tests use every core, so threads for the garbage
 * collection would only delay the tests. The young generation is larger than by default, so that collections copy less.
 */
const nodeFlags = JSON.parse(readFileSync(new URL('test-node-flags.json', import.meta.url), 'utf8'))

/**
 * Runs unit and HTTP tests in the random order of the seed. `env` adds to the environment of this process, `prefix` is
 * a command line that runs Vitest, such as `unshare --net`.
 * @returns {Promise<Outcome>}
 */
export async function runVitest(seed, args = [], env = {}, prefix = []) {
  const file = reportFile('vitest')
  const options = [
    `--sequence.seed=${seed}`,
    `--retry=${retries}`,
    '--reporter=default',
    '--reporter=./scripts/test-runner/progress-reporter.mjs',
    '--reporter=./scripts/test-runner/failures-reporter.mjs',
  ]
  const vitest = ['node', 'node_modules/vitest/vitest.mjs', 'run', ...options, ...args]
  const [program, ...programArgs] = [...prefix, ...vitest]
  const status = await run(program, programArgs, {
    FAILURES_FILE: file,
    TEST_SEED: String(seed),
    TMPDIR: fastTempDir(),
    ...env,
  })
  return readOutcome('the unit and HTTP tests', file, status, (report) => report)
}

/**
 * Runs the unit and HTTP tests of these folders with a read replica (DATABASE_READ_URL). Unless `direct` is true, the
 * tests also run through PgBouncer in transaction mode.
 * @returns {Promise<Outcome>}
 */
export function runWithPooler(seed, folders, { direct = false } = {}) {
  return runVitest(seed, folders, { TEST_REPLICA: '1', ...(direct ? {} : { TEST_POOLER: '1' }) })
}

/** Runs browser tests. The order of their files is random, from the seed. @returns {Promise<Outcome>} */
export async function runPlaywright(seed, config) {
  const file = reportFile('playwright')
  const options = [
    `--shuffle=${seed}`,
    `--retries=${retries}`,
    '--reporter=list,json,./scripts/test-runner/playwright-progress.mjs',
  ]
  // The workers get the flags of their parent process.
  const args = [...nodeFlags, 'node_modules/@playwright/test/cli.js', 'test', '-c', config, ...options]
  const status = await run('node', args, {
    PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    // Node runs the TypeScript itself. Playwright's own compiler would need seconds of CPU time at the start.
    PW_DISABLE_TS_ESM: '1',
    TMPDIR: fastTempDir(),
  })
  return readOutcome('the browser tests', file, status, ({ stats, suites, errors }) => ({
    passed: stats.expected + stats.flaky,
    failures: [
      ...suites.flatMap((suite) => listTests(suite, 'unexpected')),
      ...errors.map(({ message }) => firstLine(message)),
    ],
    flaky: suites.flatMap((suite) => listTests(suite, 'flaky')),
  }))
}

/**
 * @typedef {{ passed: number, failures: string[], flaky?: string[] }} Outcome each failure is one line with the test's
 * name; flaky tests failed at first, and passed when they were repeated
 */

/**
 * Prints the failures again below the long output of the tests, and then the counts.
 * @returns {number} the exit status
 */
export function sayOutcomes(seed, ...outcomes) {
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  for (const test of outcomes.flatMap(({ flaky = [] }) => flaky)) console.log(`FLAKY ${test}`)
  for (const failure of failures) console.log(`FAILED ${failure}`)
  if (failures.length > 0)
    console.log(`The tests ran in the order of seed ${seed}: --seed=${seed} repeats it.`)
  console.log(`${passed} passed, ${failures.length} failed`)
  return failures.length > 0 || passed === 0 ? 1 : 0
}

/** Lists the tests with this status, each with the first lines of the errors of its first attempt. */
function listTests({ title, specs, suites = [] }, wantedStatus) {
  const own = specs.flatMap(({ title: spec, tests }) =>
    tests
      .filter(({ status }) => status === wantedStatus)
      .map(({ projectName, results }) => {
        // After a time-out, the second error names the action that did not end.
        const reasons = (results[0]?.errors ?? []).map(({ message }) => firstLine(message))
        const reason = reasons.join('; ') || 'no reason was given'
        return `${title} > ${spec} (${projectName}): ${reason}`
      }),
  )
  return [...own, ...suites.flatMap((suite) => listTests(suite, wantedStatus))]
}

/** Returns the first line of a message. The test runner has already printed all of it. */
export function firstLine(text) {
  return String(text).split('\n', 1)[0]
}

/** Returns the path of a report. Each script has its own report, because `.ci/run` runs two suites at the same time. */
function reportFile(runner) {
  const script = basename(process.argv[1] ?? '', '.mjs')
  const file = join(root, 'test-results', `${script}-${runner}.json`)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  return file
}

/** Reads the report of a test run. An error status counts as a failure, even if the report lists none. */
function readOutcome(what, file, status, read) {
  const outcome = existsSync(file)
    ? read(JSON.parse(readFileSync(file, 'utf8')))
    : { passed: 0, failures: [] }
  if (status !== 0 && outcome.failures.length === 0) outcome.failures.push(`${what} ended with ${status}`)
  return outcome
}
