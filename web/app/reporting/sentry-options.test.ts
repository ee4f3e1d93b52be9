import { expect, it } from 'vitest'
import { ignoredErrors, canRecordReplay, sampleRates } from './sentry-options.ts'

it.each([
  "undefined is not an object (evaluating 'window.webkit.messageHandlers.bridge')",
  'Error invoking postMessage: Java object is gone',
  'null is not an object (evaluating \'document.querySelector("x").src\')',
  "Can't find variable: webSearchDetectionListener",
  'AudioBridge.handle is not defined',
])('does not report the error: %s', (message) => {
  expect(ignoredErrors.some((kind) => kind.test(message))).toBe(true)
})

it('samples 30 % of the traces, and 10 % of the replays with and without an error', () => {
  expect(sampleRates).toMatchObject({
    tracesSampleRate: 0.3,
    replaysSessionSampleRate: 0.1,
    replaysOnErrorSampleRate: 0.1,
  })
})

it("reports errors of the site's own code", () => {
  expect(ignoredErrors.some((kind) => kind.test('Cannot read properties of undefined'))).toBe(false)
})

it.each([
  '/login',
  '/register',
  '/retrievePassword',
  '/individual',
  '/shopping',
  '/order/result',
  '/order/easy',
])('records no replay on %s', (pathname) => expect(canRecordReplay(pathname)).toBe(false))

it.each(['/', '/videos/vid_1', '/searchDetail/x'])('may record a replay on %s', (pathname) =>
  expect(canRecordReplay(pathname)).toBe(true),
)
