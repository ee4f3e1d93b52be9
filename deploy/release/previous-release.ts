import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const project = join(import.meta.dirname, '..', '..')

/**
 * Returns the release that precedes `version` in a CHANGELOG.md. If the changelog has unreleased changes, returns the
 * latest release. Returns undefined if there is none.
 */
export function releaseBefore(changelog: string, version: string): string | undefined {
  const headings = [...changelog.matchAll(/^## (Unreleased|\d+\.\d+\.\d+)\b/gm)].map(([, each = '']) => each)
  return headings[headings[0] === 'Unreleased' ? 1 : headings.indexOf(version) + 1]
}

/** Returns the release that precedes this checkout; undefined if this checkout is the first release. */
export function previousRelease(root = project): string | undefined {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const { version }: { version: string } = JSON.parse(read('package.json'))
  return releaseBefore(read('CHANGELOG.md'), version)
}

/**
 * Returns the commit of a release: the commit of its tag, or in a clone without tags, the commit with its release subject.
 * @throws Error that says how to fetch the commit if it is missing, as in a shallow clone
 */
export function findReleaseCommit(version: string, root = project): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return git('rev-parse', '--verify', `v${version}^{commit}`)
  } catch {
    const subject = `^chore(release): ${version.replaceAll('.', '\\.')}$`
    const commit = git('log', '-1', '--format=%H', `--grep=${subject}`)
    if (commit) return commit
    throw new Error(
      `This clone has neither the tag v${version} nor its commit: run git fetch --tags. In a shallow clone, add --unshallow.`,
    )
  }
}

/** Returns whether a clone lacks older commits, and so cannot build an older release. */
export function isShallow(root = project): boolean {
  const args = ['rev-parse', '--is-shallow-repository']
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim() === 'true'
}
