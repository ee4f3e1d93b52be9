import { constants } from 'node:os'
import type { RunResult } from './run-ffmpeg.ts'
import { truncateMessage, UnusableFile } from './unusable-file.ts'

/**
 * Exit statuses with which newer ffmpeg builds report a system error: the negative error number as an unsigned byte.
 */
const systemErrorStatus = { memory: 256 - constants.errno.ENOMEM, disk: 256 - constants.errno.ENOSPC }

/**
 * Converts a failed run to an error. A full disk allows a retry (`Error`). Any other failure is caused by the file
 * (`UnusableFile`).
 */
export function toConversionError({ status, stderr }: RunResult): Error {
  // Older builds exit with status 1, so a full disk is recognised by the messages of the C library.
  if (status === systemErrorStatus.disk || /No space left on device|Disk quota exceeded/.test(stderr))
    return diskFullError()
  if (status === systemErrorStatus.memory) return new UnusableFile({ key: 'tooMuchMemory' })
  const last = stderr.trim().split('\n').at(-1) ?? ''
  const message = truncateMessage(last.replace(/^\[[^\]]*\]\s*/, ''))
  return new UnusableFile(message ? { key: 'converterSays', said: message } : { key: 'converterStops' })
}

export const diskFullError = () => new Error('The disk is full.')
