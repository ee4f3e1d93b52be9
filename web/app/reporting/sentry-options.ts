import { paths } from '#web/lib/paths.ts'

/** Sample rates (seed, section 9). Profiles are recorded for sampled traces. */
export const sampleRates = {
  tracesSampleRate: 0.3,
  replaysSessionSampleRate: 0.1,
  replaysOnErrorSampleRate: 0.1,
  profileSessionSampleRate: 1,
}

/**
 * Errors that are not reported, because scripts of in-app browsers cause them, not the site (seed, section 8). They
 * concern native WebKit message handlers, a released Java object, a failed query selector, a web-search detection
 * listener, and an audio bridge.
 */
export const ignoredErrors = [
  /webkit\.messageHandlers/i,
  /Java object is gone/i,
  /document\.querySelector/i,
  /(web.?search|search).?detection/i,
  /audio.?bridge/i,
]

const unrecordedPaths: readonly string[] = [
  paths.signIn.pattern,
  paths.register.pattern,
  paths.retrievePassword.pattern,
  paths.individual.pattern,
  paths.shopping.pattern,
]

/** Returns whether replays may record a screen. Screens for signing in and paying are never recorded. */
export const canRecordReplay = (pathname: string): boolean =>
  !unrecordedPaths.includes(pathname) && !pathname.startsWith('/order/')
