import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { root } from '#scripts/setup.mjs'
import { sayOutcomes } from './run-tests.mjs'

/** Runs a test file with one repetition of failed tests. @returns the printed outcome and the exit status */
async function runAndSay(path: string, text: string) {
  const folder = join(path, '..')
  const report = join(folder, 'report.json')
  writeFileSync(path, text)
  const options = ['--globals', '--retry=1', '--reporter=./scripts/test-runner/failures-reporter.mjs']
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--root', folder, ...options]
  await new Promise<void>((resolve) => {
    const env = { ...process.env, FAILURES_FILE: report }
    execFile(process.execPath, args, { cwd: root, env }, () => resolve())
  })
  const say = vi.spyOn(console, 'log').mockImplementation(() => {})
  const status = sayOutcomes(7, JSON.parse(readFileSync(report, 'utf8')))
  return { status, lines: say.mock.calls.map(([line]) => line) }
}

test('lists a test as flaky if it passes when repeated, and as failed if it fails twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cliffhanger-reporter-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'three.test.mjs')
  const outcome = await runAndSay(
    path,
    `let runs = 0
    test('fails once', () => { if (++runs === 1) throw new Error('too early\\nat a line') })
    test('fails twice', () => { throw new Error('always wrong') })
    test('passes', () => {})`,
  )
  const name = relative(root, path)
  expect(outcome).toEqual({
    status: 1,
    lines: [
      `FLAKY ${name} > fails once: too early`,
      `FAILED ${name} > fails twice: always wrong`,
      'The tests ran in the order of seed 7: --seed=7 repeats it.',
      '2 passed, 1 failed',
    ],
  })
})
