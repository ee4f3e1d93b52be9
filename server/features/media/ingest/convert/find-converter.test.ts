import { expect, test } from 'vitest'
import { warnOfBundled } from './find-converter.ts'

test('the operator is told to use a current ffmpeg in production where the one of set-up is used', () => {
  expect(warnOfBundled({ bundled: true, version: 'N-47683' })).toMatch(
    /N-47683.*current one in production.*FFMPEG_PATH/,
  )
  expect(warnOfBundled({ bundled: false, version: '7.1' })).toBeUndefined()
})
