import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findReleaseCommit, isShallow, releaseBefore } from './previous-release.ts'

const home = mkdtempSync(join(tmpdir(), 'cliffhanger-tags-'))
const full = join(home, 'full')
const changelog = '# Changelog\n\n## 1.1.0\n\n- new\n\n## 1.0.1 (2026-12-01)\n\n## 1.0.0 (2026-11-27)\n'

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
const commit = (subject: string) => {
  git(full, 'commit', '--allow-empty', '-m', subject)
  return git(full, 'rev-parse', 'HEAD')
}
let released: string

beforeAll(() => {
  git(home, 'init', full)
  commit('feat: begin')
  released = commit('chore(release): 1.0.0')
  git(full, 'tag', 'v1.0.0')
  commit('fix: mend')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

test.each([
  ['1.1.0', '1.0.1'],
  ['1.0.1', '1.0.0'],
  ['1.0.0', undefined],
])('the release before %s in the changelog is %s', (version, before) => {
  expect(releaseBefore(changelog, version)).toBe(before)
})

test('the release before unreleased changes is the latest release', () => {
  const unreleased = changelog.replace('## 1.1.0', '## Unreleased')
  expect(releaseBefore(unreleased, '1.0.1')).toBe('1.0.1')
})

test('finds the commit of a release by its tag', () => {
  git(full, 'tag', 'v1.0.1', 'HEAD~2')
  expect(findReleaseCommit('1.0.1', full)).toBe(git(full, 'rev-parse', 'HEAD~2'))
})

test('finds the commit of a release by its subject in a clone without tags', () => {
  const untagged = join(home, 'untagged')
  git(home, 'clone', '--no-tags', full, untagged)
  expect(findReleaseCommit('1.0.0', untagged)).toBe(released)
})

test('the error in a shallow clone says how to fetch the missing release', () => {
  const shallow = join(home, 'shallow')
  git(home, 'clone', '--depth', '1', `file://${full}`, shallow)
  expect(() => findReleaseCommit('1.0.0', shallow)).toThrow(/tag v1\.0\.0.*git fetch --tags/)
  expect([isShallow(shallow), isShallow(full)]).toEqual([true, false])
})
