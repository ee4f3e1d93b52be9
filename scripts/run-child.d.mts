import type { ChildProcess, SpawnOptions } from 'node:child_process'

/** A program that has not ended this long after a signal is killed. */
export const killAfterMs: number

/** From now on a signal ends the program that runs, and no other is started. The end of npm counts as SIGTERM. */
export function passSignalsOn(): void

/** Whether a signal, or the end of npm, has asked this script to end. */
export function isStopping(): boolean

/** Runs a program to its end. @returns its exit status */
export function runChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  started?: (child: ChildProcess) => void,
): Promise<number>

/** The command line of a program that gets SIGTERM when we end, however that happens. Linux only: elsewhere it stays as it is. */
export function boundToUs(command: string, args: readonly string[]): [command: string, args: string[]]
