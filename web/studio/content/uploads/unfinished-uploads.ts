import type { Upload } from '#contract/studio/uploads.ts'
import { isSameFile, type QueuedUpload } from './upload-queue.ts'

/**
 * Returns the server's uploads that this page no longer sends: started before a reload or elsewhere, stopped, or rejected. The
 * server's list may be older than a file that this page has just completed.
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

/** Returns whether this page still has the file, so that it need not be selected again. */
export const isStoppedHere = (upload: Upload, sendings: readonly QueuedUpload[]): boolean =>
  sendings.some((each) => each.state === 'stopped' && isSameFile(each, upload))
