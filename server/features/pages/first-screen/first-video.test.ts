import { expect, it } from 'vitest'
import { firstVideoElement } from '#server/features/pages/head/build-head.ts'

it('lets the browser’s native player take segments of another host', () => {
  expect(firstVideoElement('/poster.webp')).toContain(' crossorigin="anonymous"')
})
