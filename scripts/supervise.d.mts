export interface SuperviseOptions {
  /** Returns true if the script has received a stop signal. */
  isStopping: () => boolean
  say?: (line: string) => void
  /** Returns the current time in milliseconds. */
  now?: () => number
  pause?: (ms: number) => Promise<unknown>
}

export function supervise(start: () => Promise<number>, options: SuperviseOptions): Promise<number>
