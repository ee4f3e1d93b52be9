import { expect, it } from 'vitest'
import type { Upload } from '#contract/studio/uploads.ts'
import { isStoppedHere, findUnfinishedUploads } from './find-unfinished-uploads.ts'
import type { QueuedUpload } from './upload-queue.ts'

const upload = (name: string, state: Upload['state'], bytes = 4): Upload => ({
  id: `upl_${name}`,
  name,
  bytes,
  number: 1,
  language: null,
  state,
  reason: null,
  parts: [],
})
const sending = (name: string, state: QueuedUpload['state']): QueuedUpload => ({
  key: name,
  videoId: 'vid_1',
  name,
  number: 1,
  bytes: 4,
  sent: 0,
  state,
  pauseReason: undefined,
  message: '',
})
const namesOf = (uploads: readonly Upload[]) => uploads.map(({ name }) => name)

it("excludes files that this page sends or has sent, even if the server's list is outdated", () => {
  const states = ['waiting', 'sending', 'done', 'failed'] as const
  const uploads = states.map((state) => upload(state, 'uploading'))
  expect(
    findUnfinishedUploads(
      uploads,
      states.map((state) => sending(state, state)),
    ),
  ).toEqual([])
})

it('includes files that were started elsewhere or stopped, and sent files that are in processing or rejected', () => {
  const uploads = [
    upload('elsewhere', 'uploading'),
    upload('stopped', 'uploading'),
    upload('looked at', 'complete'),
    upload('rejected', 'rejected'),
    // Has the same name as a file that this page has sent.
    upload('rejected', 'uploading', 5),
  ]
  const sendings = [sending('stopped', 'stopped'), sending('looked at', 'done'), sending('rejected', 'done')]
  expect(findUnfinishedUploads(uploads, sendings)).toEqual(uploads)
  expect(namesOf(uploads.filter((each) => isStoppedHere(each, sendings)))).toEqual(['stopped'])
})
