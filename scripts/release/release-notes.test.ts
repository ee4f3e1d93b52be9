import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { releaseNotes } from './release-notes.ts'

const root = join(import.meta.dirname, '..', '..')
const changelog = `# Changelog

Notable changes.

## Unreleased

## 1.1.0

### Added

- An alert.

## 1.0.1 (2026-12-01)

- A repair.

## 1.0.0
`

test.each([
  ['1.1.0', '### Added\n\n- An alert.\n'],
  ['1.0.1', '- A repair.\n'],
])("the notes of %s are that version's section, without its heading", (version, notes) => {
  expect(releaseNotes(changelog, version)).toBe(notes)
})

test.each([
  ['2.0.0', 'CHANGELOG.md has no section "## 2.0.0": add it before you tag v2.0.0.'],
  ['1.1', 'CHANGELOG.md has no section "## 1.1"'],
  ['1.0.0', 'The section "## 1.0.0" of CHANGELOG.md is empty.'],
])('refuses the version %s, which has no notes', (version, message) => {
  expect(() => releaseNotes(changelog, version)).toThrow(message)
})

test('the command of the workflow fails for a version that is not in CHANGELOG.md', () => {
  const command = ['scripts/release/print-release-notes.ts', '99.0.0']
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toBe('CHANGELOG.md has no section "## 99.0.0": add it before you tag v99.0.0.\n')
})

test('the workflow reads the notes before it publishes the image, and publishes the release with these notes', () => {
  const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')
  const steps: { run?: string; uses?: string }[] = parse(workflow).jobs.release.steps
  const at = (text: string) => steps.findIndex(({ run, uses }) => `${run} ${uses}`.includes(text))
  const reads = at('print-release-notes.ts "${GITHUB_REF_NAME#v}" > "$RUNNER_TEMP/notes.md"')
  expect(reads).toBeGreaterThan(-1)
  expect(reads).toBeLessThan(at('build-push-action'))
  expect(steps.at(-1)?.run).toContain('--notes-file "$RUNNER_TEMP/notes.md"')
})
