import { expect, test } from 'vitest'
import { bundledFfmpegWarning } from './find-converter.ts'

test('the bundled ffmpeg causes a warning that recommends a current ffmpeg for production', () => {
  expect(bundledFfmpegWarning({ bundled: true, version: 'N-47683' })).toMatch(
    /N-47683.*FFMPEG_PATH to a current ffmpeg in production/,
  )
  expect(bundledFfmpegWarning({ bundled: false, version: '7.1' })).toBeUndefined()
})
