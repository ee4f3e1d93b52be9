import { expect, it } from 'vitest'
import { uploadBatchLimits } from '#contract/studio/upload-batch-limits.ts'
import type { AnnouncedFile } from '#contract/studio/uploads.ts'
import { splitIntoBatches } from './upload-batches.ts'

const file = (number: number, name = `${number}.mp4`): AnnouncedFile => ({
  name,
  bytes: 1,
  last_modified_at: '2026-01-01T00:00:00.000Z',
  number,
})
const season = (count: number, name?: string) =>
  Array.from({ length: count }, (_, index) => file(index + 1, name))
const cut = (files: readonly AnnouncedFile[]) => splitIntoBatches(files, (each) => each)

it('sends a season with captions in five languages in one batch', () => {
  expect(cut(season(480))).toHaveLength(1)
  expect(cut([])).toEqual([])
})

it('splits more files than a call accepts into batches, in order', () => {
  const files = season(2 * uploadBatchLimits.files + 1)
  const plans = cut(files)
  expect(plans.map(({ length }) => length)).toEqual([uploadBatchLimits.files, uploadBatchLimits.files, 1])
  expect(plans.flat()).toEqual(files)
})

it("keeps each batch within a call's size limit, whatever the file names are", () => {
  const files = season(uploadBatchLimits.files, '愛'.repeat(255))
  const plans = cut(files)
  expect(plans.flat()).toEqual(files)
  for (const plan of plans)
    expect(Buffer.byteLength(JSON.stringify({ video_id: 'vid_1', files: plan }))).toBeLessThan(
      uploadBatchLimits.bytes,
    )
})
