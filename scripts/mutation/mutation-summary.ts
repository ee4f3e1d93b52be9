/** Result of one mutant. */
export interface Result {
  status: string
}

/** Results of all mutants of a group. */
export interface Summary {
  name: string
  mutants: number
  killed: number
  survived: number
  timeout: number
  noCoverage: number
  /** Percentage of mutants that a test detected. */
  score: number
}

/** Minimum score of a group, in percent. */
export const minimumScore = 85

/**
 * Summarises the results of a group. As in Stryker's score, ignored mutants and mutants that do not compile are not
 * counted.
 */
export function summarise(name: string, results: readonly Result[]): Summary {
  const count = (status: string) => results.filter((result) => result.status === status).length
  const killed = count('Killed')
  const survived = count('Survived')
  const timeout = count('Timeout')
  const noCoverage = count('NoCoverage')
  const mutants = killed + survived + timeout + noCoverage
  const score = mutants === 0 ? 0 : (100 * (killed + timeout)) / mutants
  return { name, mutants, killed, survived, timeout, noCoverage, score }
}

const columns: readonly [string, (summary: Summary) => string][] = [
  ['group', ({ name }) => name],
  ['mutants', ({ mutants }) => String(mutants)],
  ['killed', ({ killed }) => String(killed)],
  ['survived', ({ survived }) => String(survived)],
  ['timeout', ({ timeout }) => String(timeout)],
  ['no coverage', ({ noCoverage }) => String(noCoverage)],
  ['score', ({ score }) => `${score.toFixed(1)} %`],
]

/** Returns the summaries as a table. Its last line counts the groups: `N passed, N failed`. */
export function writeTable(summaries: readonly Summary[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...summaries.map((one) => columns.map(([, cell]) => cell(one))),
  ]
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
  const failed = summaries.filter(({ score }) => score < minimumScore).length
  return [...rows.map(line), `${summaries.length - failed} passed, ${failed} failed`].join('\n')
}
