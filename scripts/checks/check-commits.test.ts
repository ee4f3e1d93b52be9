import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkCommits, findFault } from './check-commits.mjs'

let home: string
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'commits-'))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd: folder,
    stdio: 'ignore',
  })
const commit = (folder: string, subject: string) => git(folder, 'commit', '--allow-empty', '-m', subject)

test.each([
  'fix: refund once',
  'feat(billing)!: charge in the currency of the card',
  'docs: say what a tier is',
])('accepts the subject %s', (subject) => {
  expect(findFault(subject)).toBeUndefined()
})

test.each([
  ['Refund once', /is not/],
  ['fixed: refund once', /is not/],
  ['fix(Billing): refund once', /is not/],
  ['fix: refund once.', /is not/],
  [`fix: ${'a'.repeat(68)}`, /has 73 characters; at most 72 are allowed/],
])('rejects the subject %s', (subject, why) => {
  expect(findFault(subject)).toMatch(why)
})

test('checks only commits that the upstream branch lacks', () => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const [upstream, clone] = [join(home, 'upstream'), join(home, 'clone')]
  git(home, 'init', '-q', '-b', 'main', upstream)
  commit(upstream, 'An old subject')
  git(home, 'clone', '-q', upstream, clone)
  commit(clone, 'fix: refund once')
  expect(checkCommits(clone)).toBe(0)
  commit(clone, 'Refund twice')
  expect(checkCommits(clone)).toBe(1)
  expect(log.mock.calls.flat()).toEqual([expect.stringMatching(/^"Refund twice" is not/)])
  log.mockRestore()
})

test('passes on a branch without an upstream', () => {
  git(home, 'init', '-q', '-b', 'main', home)
  commit(home, 'An old subject')
  expect(checkCommits(home)).toBe(0)
})
