import type { Upload } from '#contract/studio/uploads.ts'
import { isSameFile, type QueuedUpload } from './upload-queue.ts'

/**
 * Returns the server's uploads that this page is not sending: started before a reload or elsewhere, stopped, or
 * rejected. Omits an upload that this page has just completed, because the server's list may be outdated.
 */
export function findUnfinishedUploads(
  uploads: readonly Upload[],
  sendings: readonly QueuedUpload[],
): Upload[] {
  return uploads.filter((upload) => {
    const state = sendings.find((each) => isSameFile(each, upload))?.state
    if (state === 'done') return upload.state !== 'uploading'
    return state === undefined || state === 'stopped'
  })
}

/** Returns whether this page still has the file of a stopped upload, so that the operator need not select it again. */
export const isStoppedHere = (upload: Upload, sendings: readonly QueuedUpload[]): boolean =>
  sendings.some((each) => each.state === 'stopped' && isSameFile(each, upload))
