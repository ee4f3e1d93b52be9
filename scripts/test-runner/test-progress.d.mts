/** Counts the tests of a run as they end, and prints a line about it from time to time. */
export class TestProgress {
  constructor(
    name: string,
    files: Map<string, number | undefined>,
    options?: { print?: (line: string) => void; now?: () => number; everyMs?: number; dir?: string },
  )
  begin(file: string, tests: number): void
  done(file: string): void
  line(): string
  end(): void
}
export function describeMs(ms: number): string
