/** The result of a run; flaky tests failed at first, and passed when they were repeated. */
export interface Outcome {
  passed: number
  failures: string[]
  flaky?: string[]
}
export function sayOutcomes(seed: number, ...outcomes: Outcome[]): number
