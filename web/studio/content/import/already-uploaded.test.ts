import { expect, it } from 'vitest'
import type { CompletedUpload } from '#contract/studio/uploads.ts'
import { findAlreadyUploaded } from './already-uploaded.ts'
import { fromBlob } from '#web/studio/content/uploads/source-file.ts'

const lastModifiedAt = new Date('2026-02-03T04:05:06.789Z')
const film: CompletedUpload = {
  name: '01.mp4',
  bytes: 4,
  last_modified_at: lastModifiedAt.toISOString(),
  number: 1,
  language: null,
}
const captions: CompletedUpload = { ...film, name: '01.en.vtt', language: 'en' }

const placed = (path: string, { text = 'film', at = lastModifiedAt } = {}) => ({
  file: fromBlob(new Blob([text]), path, at),
  kind: 'film' as const,
  number: 1,
  language: undefined,
})

it('recognizes a file by name, size, modification time and episode, in any folder', () => {
  const isHere = findAlreadyUploaded([film, captions])
  expect(isHere(placed('season/01.mp4'))).toBe(true)
  expect(isHere({ ...placed('01.en.vtt'), kind: 'captions', language: 'en' })).toBe(true)
  for (const other of [
    placed('1.mp4'),
    placed('01.mp4', { text: 'another' }),
    placed('01.mp4', { at: new Date(0) }),
    placed('01.mp4', { at: new Date(Number.NaN) }),
    { ...placed('01.mp4'), number: 2 },
    { ...placed('01.en.vtt'), kind: 'captions' as const, language: 'dy' as const },
  ])
    expect(isHere(other)).toBe(false)
})
