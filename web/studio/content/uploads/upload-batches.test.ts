import { expect, it } from 'vitest'
import { planLimits } from '#contract/studio/plan-limits.ts'
import type { PlannedFile } from '#contract/studio/uploads.ts'
import { uploadBatches } from './upload-batches.ts'

const file = (number: number, name = `${number}.mp4`): PlannedFile => ({
  name,
  bytes: 1,
  changed_at: '2026-01-01T00:00:00.000Z',
  number,
})
const season = (count: number, name?: string) =>
  Array.from({ length: count }, (_, index) => file(index + 1, name))
const cut = (files: readonly PlannedFile[]) => uploadBatches(files, (each) => each)

it('sends a season with captions in five languages in one batch', () => {
  expect(cut(season(480))).toHaveLength(1)
  expect(cut([])).toEqual([])
})

it('splits more files than a call accepts into batches, in order', () => {
  const files = season(2 * planLimits.files + 1)
  const plans = cut(files)
  expect(plans.map(({ length }) => length)).toEqual([planLimits.files, planLimits.files, 1])
  expect(plans.flat()).toEqual(files)
})

it("keeps each batch within a call's size limit, whatever the file names are", () => {
  const files = season(planLimits.files, '愛'.repeat(255))
  const plans = cut(files)
  expect(plans.flat()).toEqual(files)
  for (const plan of plans)
    expect(Buffer.byteLength(JSON.stringify({ video_id: 'vid_1', files: plan }))).toBeLessThan(
      planLimits.bytes,
    )
})
