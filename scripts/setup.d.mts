/** The checkout's folder. */
export const root: string

/** Runs a script's work. A set-up problem prints its message and exits with status 1. */
export function main(work: () => Promise<number>): Promise<void>

/** Installs missing packages: `run` for the site, `full` also the tools for tests and checks. */
export function setUp(mode: 'run' | 'full'): Promise<void>

/** Returns the Node that runs the project: this one if it runs TypeScript, else the one from the registry. */
export function findNode(): string

/** Runs a program with inherited input and output. `node` stands for the project's Node. @returns its exit status */
export function run(command: string, args: readonly string[], env?: Record<string, string>): Promise<number>

/** Builds the web pages unless dist/web was built from the same sources. @returns the exit status */
export function buildWeb(): Promise<number>
