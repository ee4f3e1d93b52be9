/** Counts completed tests and prints a progress line at intervals. */
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
