import type { Upload } from '#contract/studio/uploads.ts'
import { isSameFile, type Sending } from './upload-queue.ts'

/**
 * Which of the files that the server knows of are no longer sent by this page: begun before a reload or elsewhere, stopped, or
 * refused. What the server says of a file that this page has just sent whole may be older than that.
 */
export function unfinishedOf(uploads: readonly Upload[], sendings: readonly Sending[]): Upload[] {
  return uploads.filter((upload) => {
    const state = sendings.find((each) => isSameFile(each, upload))?.state
    if (state === 'done') return upload.state !== 'arriving'
    return state === undefined || state === 'stopped'
  })
}

/** Whether this page still has a file at hand, so that it need not be dropped again. */
export const isAtHand = (upload: Upload, sendings: readonly Sending[]): boolean =>
  sendings.some((each) => each.state === 'stopped' && isSameFile(each, upload))
