import { expect, test } from 'vitest'
import { warnOfBundled } from './find-converter.ts'

test('warns in production if the bundled ffmpeg is used instead of a current one', () => {
  expect(warnOfBundled({ bundled: true, version: 'N-47683' })).toMatch(
    /N-47683.*current one in production.*FFMPEG_PATH/,
  )
  expect(warnOfBundled({ bundled: false, version: '7.1' })).toBeUndefined()
})
