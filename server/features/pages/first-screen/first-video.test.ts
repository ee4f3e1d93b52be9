import { expect, it } from 'vitest'
import { firstVideoElement } from '#server/features/pages/head/build-head.ts'

it('the first video element allows the browser’s native player to use segments of another host', () => {
  expect(firstVideoElement('/poster.webp')).toContain(' crossorigin="anonymous"')
})
