import { constants } from 'node:os'
import type { RunResult } from './run-ffmpeg.ts'
import { quoted, UnusableFile } from './unusable-file.ts'

/** Exit statuses of newer builds when the system refuses something: its negative error number as one byte. */
const refusedBySystem = { memory: 256 - constants.errno.ENOMEM, disk: 256 - constants.errno.ENOSPC }

/** Converts a failed run to an error. A full disk allows a retry; every other failure is caused by the file. */
export function failure({ status, complaints }: RunResult): Error {
  // Older builds exit with 1; these are the messages of the C library.
  if (status === refusedBySystem.disk || /No space left on device|Disk quota exceeded/.test(complaints))
    return diskFull()
  if (status === refusedBySystem.memory) return new UnusableFile({ key: 'tooMuchMemory' })
  const last = complaints.trim().split('\n').at(-1) ?? ''
  const said = quoted(last.replace(/^\[[^\]]*\]\s*/, ''))
  return new UnusableFile(said ? { key: 'converterSays', said } : { key: 'converterStops' })
}

export const diskFull = () => new Error('The disk is full.')
