export interface SuperviseOptions {
  /** Whether the script was asked to stop. */
  isStopping: () => boolean
  say?: (line: string) => void
  /** A time in milliseconds. */
  now?: () => number
  pause?: (ms: number) => Promise<unknown>
}

export function supervise(start: () => Promise<number>, options: SuperviseOptions): Promise<number>
