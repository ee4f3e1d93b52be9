// Runs the two kinds of tests with their ordinary output, and tells from the reports they leave in test-results/ what failed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root, run } from './setup.mjs'

/** Unit and HTTP tests. @returns {Promise<Outcome>} */
export async function runVitest(args = []) {
  const file = reportFile('vitest.json')
  const reporters = ['--reporter=default', '--reporter=./scripts/failures-reporter.mjs']
  const status = await run('node', ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
    FAILURES_FILE: file,
  })
  return readOutcome('the unit and HTTP tests', file, status, (report) => report)
}

/** Browser tests. @returns {Promise<Outcome>} */
export async function runPlaywright() {
  const config = 'e2e/playwright.config.ts'
  if (!existsSync(join(root, config))) return { passed: 0, failures: [] }
  const file = reportFile('playwright.json')
  const args = ['node_modules/@playwright/test/cli.js', 'test', '-c', config, '--reporter=list,json']
  const status = await run('node', args, { PLAYWRIGHT_JSON_OUTPUT_FILE: file })
  return readOutcome('the browser tests', file, status, ({ stats, suites, errors }) => ({
    passed: stats.expected + stats.flaky,
    failures: [...suites.flatMap(findFailures), ...errors.map(({ message }) => firstLine(message))],
  }))
}

/** @typedef {{ passed: number, failures: string[] }} Outcome a failure is a line that names it */

/** Names again what failed, where the tests' own output is long, and counts. @returns {number} for the process to end with */
export function sayOutcomes(...outcomes) {
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0)
  for (const failure of failures) console.log(`FAILED ${failure}`)
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

/** Of a message: the rest stands above, in the runner's own output. */
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
