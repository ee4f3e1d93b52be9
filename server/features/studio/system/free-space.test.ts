import { expect, it } from 'vitest'
import { formatFreeSpace, parseFreeSpace } from '#contract/studio/free-space.ts'

it.each([
  { gigabytes: 45.1, folder: '/var/lib/cliffhanger; old', eventsRecorded: true },
  { gigabytes: 0.2, folder: 'D:\\data', eventsRecorded: false },
])('reads the free space from its text: %o', (space) => {
  expect(parseFreeSpace(formatFreeSpace(space))).toEqual(space)
})

it('returns undefined for the text of an error', () => {
  expect(parseFreeSpace('EROFS: read-only file system')).toBeUndefined()
})
