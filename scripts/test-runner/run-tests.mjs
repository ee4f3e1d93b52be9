// Runs the two kinds of tests with their ordinary output, and tells from the reports they leave in test-results/ what failed.
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { fastTempDir } from './fast-temp-dir.mjs'
import { root, run } from '#scripts/setup.mjs'

/** The seed of the tests' random order: `--seed=N`, else TEST_SEED, else a new one. @returns {number} */
export function chooseSeed() {
  const { values } = parseArgs({ options: { seed: { type: 'string' } }, strict: false })
  const given = values.seed ?? process.env['TEST_SEED']
  if (given === undefined) return randomInt(1_000_000)
  if (!/^\d{1,9}$/.test(given)) throw new Error(`The seed has to be a whole number, not "${given}".`)
  return Number(given)
}

/** Unit and HTTP tests, in the random order of a seed. @returns {Promise<Outcome>} */
export async function runVitest(seed, args = []) {
  const file = reportFile('vitest.json')
  const options = [
    `--sequence.seed=${seed}`,
    '--reporter=default',
    '--reporter=./scripts/test-runner/progress-reporter.mjs',
    '--reporter=./scripts/test-runner/failures-reporter.mjs',
  ]
  const status = await run('node', ['node_modules/vitest/vitest.mjs', 'run', ...options, ...args], {
    FAILURES_FILE: file,
    TEST_SEED: String(seed),
    TMPDIR: fastTempDir(),
  })
  return readOutcome('the unit and HTTP tests', file, status, (report) => report)
}

/** Browser tests, their files in the random order of a seed. @returns {Promise<Outcome>} */
export async function runPlaywright(seed, config = 'e2e/playwright.config.ts') {
  const file = reportFile('playwright.json')
  const options = [`--shuffle=${seed}`, '--reporter=list,json,./scripts/test-runner/playwright-progress.mjs']
  const args = ['node_modules/@playwright/test/cli.js', 'test', '-c', config, ...options]
  const status = await run('node', args, {
    PLAYWRIGHT_JSON_OUTPUT_FILE: file,
    TMPDIR: fastTempDir(),
  })
  return readOutcome('the browser tests', file, status, ({ stats, suites, errors }) => ({
    passed: stats.expected + stats.flaky,
    failures: [...suites.flatMap(findFailures), ...errors.map(({ message }) => firstLine(message))],
  }))
}

/** @typedef {{ passed: number, failures: string[] }} Outcome a failure is a line that names it */

/** Names again what failed, where the tests' own output is long, and counts. @returns {number} for the process to end with */
export function sayOutcomes(seed, ...outcomes) {
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  for (const failure of failures) console.log(`FAILED ${failure}`)
  if (failures.length > 0)
    console.log(`The tests ran in the order of seed ${seed}: --seed=${seed} repeats it.`)
  console.log(`${passed} passed, ${failures.length} failed`)
  return failures.length > 0 || passed === 0 ? 1 : 0
}

function findFailures({ title, specs, suites = [] }) {
  const own = specs.flatMap(({ title: spec, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected')
      .map(({ projectName, results }) => {
        const reason = firstLine(results.at(-1)?.error?.message ?? 'no reason was given')
        return `${title} > ${spec} (${projectName}): ${reason}`
      }),
  )
  return [...own, ...suites.flatMap(findFailures)]
}

/** Of a message: the rest is above, in the output of the runner itself. */
export function firstLine(text) {
  return String(text).split('\n', 1)[0]
}

function reportFile(name) {
  const file = join(root, 'test-results', name)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true })
  return file
}

/** A run that ended badly is a failure even where its report names none. */
function readOutcome(what, file, status, read) {
  const outcome = existsSync(file)
    ? read(JSON.parse(readFileSync(file, 'utf8')))
    : { passed: 0, failures: [] }
  if (status !== 0 && outcome.failures.length === 0) outcome.failures.push(`${what} ended with ${status}`)
  return outcome
}
