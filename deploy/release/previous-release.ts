import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const project = join(import.meta.dirname, '..', '..')

/** Returns the version before `version` in a CHANGELOG.md; undefined if `version` is the first. */
export function versionBefore(changelog: string, version: string): string | undefined {
  const versions = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)\b/gm)].map(([, each = '']) => each)
  return versions[versions.indexOf(version) + 1]
}

/** Returns the version before this checkout's; undefined if this checkout's is the first. */
export function previousVersion(root = project): string | undefined {
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const { version }: { version: string } = JSON.parse(read('package.json'))
  return versionBefore(read('CHANGELOG.md'), version)
}

/**
 * Returns the commit of a release: its tag, or in a clone without tags, the commit with its subject.
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
      `This clone has neither the tag v${version}, from which people update, nor its commit: run git fetch --tags, in a shallow clone with --unshallow.`,
    )
  }
}
