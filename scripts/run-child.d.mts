import type { ChildProcess, SpawnOptions } from 'node:child_process'

/** A program that still runs this many milliseconds after a signal is killed. */
export const killAfterMs: number
/** The same time for the site, which first finishes its current requests. */
export const killSiteAfterMs: number
/** A SIGINT within this time after the first signal is part of the same Ctrl-C. */
export const sameInterruptMs: number

/**
 * Forwards signals to the running program, and then prevents the start of another program. The exit of the parent
 * npm counts as SIGTERM.
 */
export function passSignalsOn(): void

/** Returns true after a signal or the exit of the parent npm. */
export function isStopping(): boolean

/** Runs a program until it exits. @returns its exit status */
export function runChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions & { killAfterMs?: number },
  started?: (child: ChildProcess) => void,
): Promise<number>

/**
 * Returns a command line whose program receives SIGTERM when this script exits for any reason. This works on Linux
 * only; on other systems the command line is unchanged.
 */
export function boundToUs(command: string, args: readonly string[]): [command: string, args: string[]]
