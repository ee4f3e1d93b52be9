import { expect, it } from 'vitest'
import { isScreen } from './is-screen.ts'

it.each(['/', '/videos/vid_1', '/searchDetail/a%20tower', '/my', '/order/result'])('%s is a screen', (path) =>
  expect(isScreen(path)).toBe(true),
)

it.each([
  '/order/easy',
  '/api/user/social/google/callback',
  '/api/webhook/payment/paypal-return',
  '/sandbox/card',
  '/media/1.usr_1.mac/a.m3u8',
  '/videos/vid_1/more',
  '/sitemap.xml',
  '/offline',
])('%s is not a screen', (path) => expect(isScreen(path)).toBe(false))
