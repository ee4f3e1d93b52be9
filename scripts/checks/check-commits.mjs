// Checks that the subjects of commits follow Conventional Commits. Skips commits that are on the upstream branch.
import { execFileSync } from 'node:child_process'
import { root } from '#scripts/setup.mjs'

const types = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test']
const form = new RegExp(`^(${types.join('|')})(\\([a-z0-9-]+\\))?!?: [^\\s].*[^.\\s]$`)
const maxLength = 72

/** Returns a description of what is wrong with a commit's subject; undefined if it is valid. */
export function findFault(subject) {
  if (subject.length > maxLength) return `has ${subject.length} characters; at most ${maxLength} are allowed`
  if (!form.test(subject)) return `is not "type(scope): description", with a type of ${types.join(', ')}`
  return undefined
}

/** Prints the invalid subjects. @returns {number} the exit status; 0 if the branch has no upstream */
export function checkCommits(cwd = root) {
  const faults = newSubjects(cwd).flatMap((subject) => {
    const fault = findFault(subject)
    return fault ? [`"${subject}" ${fault}`] : []
  })
  for (const fault of faults) console.log(fault)
  return faults.length > 0 ? 1 : 0
}

function newSubjects(cwd) {
  try {
    const options = { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    const log = execFileSync('git', ['log', '--no-merges', '--format=%s', '@{upstream}..HEAD'], options)
    return log.split('\n').filter(Boolean)
  } catch {
    // Without a repository, branch or upstream, there is nothing to compare.
    return []
  }
}
