import type { ChildProcess, SpawnOptions } from 'node:child_process'

/** A program that runs this long after a signal is killed. */
export const killAfterMs: number

/** Forwards signals to the running program and starts no other one afterwards. The exit of npm counts as SIGTERM. */
export function passSignalsOn(): void

/** Returns true after a signal or the exit of npm. */
export function isStopping(): boolean

/** Runs a program until it exits. @returns its exit status */
export function runChild(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  started?: (child: ChildProcess) => void,
): Promise<number>

/** Returns a command line whose program gets SIGTERM when this script exits for any reason. On Linux only; unchanged elsewhere. */
export function boundToUs(command: string, args: readonly string[]): [command: string, args: string[]]
