import type { Upload } from '#contract/studio/uploads.ts'
import { isSameFile, type Sending } from './upload-queue.ts'

/**
 * Returns the server's uploads that this page no longer sends: started before a reload or elsewhere, stopped, or rejected. The
 * server's list may be older than a file that this page has just completed.
 */
export function unfinishedOf(uploads: readonly Upload[], sendings: readonly Sending[]): Upload[] {
  return uploads.filter((upload) => {
    const state = sendings.find((each) => isSameFile(each, upload))?.state
    if (state === 'done') return upload.state !== 'arriving'
    return state === undefined || state === 'stopped'
  })
}

/** Returns whether this page still has the file, so that it need not be selected again. */
export const isAtHand = (upload: Upload, sendings: readonly Sending[]): boolean =>
  sendings.some((each) => each.state === 'stopped' && isSameFile(each, upload))
