import { expect, it } from 'vitest'
import { firstVideo } from '#server/features/pages/head/build-head.ts'

it('lets the browser’s native player take segments of another host', () => {
  expect(firstVideo('/poster.webp')).toContain(' crossorigin="anonymous"')
})
