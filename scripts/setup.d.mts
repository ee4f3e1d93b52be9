/** Folder of the checkout. */
export const root: string

/**
 * Runs the work of a script and sets its exit status. If the installation fails, prints the problem and sets status 1.
 */
export function main(work: () => Promise<number>): Promise<void>

/** Installs missing packages. `run` installs those of the site, `full` also those for tests and checks. */
export function setUp(mode: 'run' | 'full'): Promise<void>

/** Counts the packages that are installed at these paths. An empty folder does not count. */
export function countInstalled(places: readonly string[], checkout: string): number

/**
 * Returns the path of a Node that runs TypeScript: the current Node if it can, otherwise the one from the package
 * registry.
 */
export function findNode(): string

/** Runs a program with inherited input and output. `node` means the project's Node. @returns its exit status */
export function run(
  command: string,
  args: readonly string[],
  env?: Record<string, string>,
  killAfterMs?: number,
): Promise<number>

/** Builds the web pages, unless dist/web was built from the same sources. @returns the exit status */
export function buildWeb(): Promise<number>
