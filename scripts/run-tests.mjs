// Runs the two kinds of tests with their ordinary output, and counts from the reports they leave in test-results/.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './setup.mjs'

/** Unit and HTTP tests. @returns {Promise<{ passed: number, failed: number }>} */
export async function runVitest(args = []) {
  const report = reportFile('vitest.json')
  const status = await run('node', [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...args,
  ])
  return count(report, status, ({ numPassedTests, numFailedTests, testResults }) => {
    // A file that does not even load has no tests to fail.
    const broken = testResults.filter(
      (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
    )
    return { passed: numPassedTests, failed: numFailedTests + broken.length }
  })
}

/** Browser tests. @returns {Promise<{ passed: number, failed: number }>} */
export async function runPlaywright() {
  const config = 'e2e/playwright.config.ts'
  if (!existsSync(join(root, config))) return { passed: 0, failed: 0 }
  const report = reportFile('playwright.json')
  const args = ['node_modules/@playwright/test/cli.js', 'test', '-c', config, '--reporter=list,json']
  const status = await run('node', args, { PLAYWRIGHT_JSON_OUTPUT_FILE: report })
  return count(report, status, ({ stats }) => ({
    passed: stats.expected + stats.flaky,
    failed: stats.unexpected,
  }))
}

function reportFile(name) {
  const file = join(root, 'test-results', name)
  rmSync(file, { force: true })
  return file
}

/** A run that ended badly counts as a failure even where its report names none. */
function count(report, status, read) {
  const counts = existsSync(report)
    ? read(JSON.parse(readFileSync(report, 'utf8')))
    : { passed: 0, failed: 0 }
  return status !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}
