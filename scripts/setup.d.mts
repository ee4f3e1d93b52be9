/** The checkout's folder. */
export const root: string

/** Something went wrong in a way that one sentence explains: a set-up problem ends the script with status 1. */
export function main(work: () => Promise<number>): Promise<void>

/** Installs the packages unless they are there: `run` what the site needs, `full` also the tools for tests and checks. */
export function setUp(mode: 'run' | 'full'): Promise<void>

/** The Node that runs the project: this one if it runs TypeScript, else the one from the registry. */
export function findNode(): string

/** Runs a program to its end with our input and output. @returns its exit status; `node` stands for the project's Node */
export function run(command: string, args: readonly string[], env?: Record<string, string>): Promise<number>

/** Builds the web pages unless dist/web was built from just these sources. @returns the exit status */
export function buildWeb(): Promise<number>
