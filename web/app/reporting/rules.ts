import { paths } from '#web/lib/paths.ts'

/** The rates of the seed, section 9. Profiles go with the traces that were chosen. */
export const rates = {
  tracesSampleRate: 0.3,
  replaysSessionSampleRate: 0.1,
  replaysOnErrorSampleRate: 0.1,
  profileSessionSampleRate: 1,
}

/**
 * Errors that are not ours and not reported (seed, section 8): native WebKit message handlers, a Java object that is gone, a
 * failed document query selector, a web-search detection listener, audio bridge handling. In-app browsers bring them along.
 */
export const ignoredErrors = [
  /webkit\.messageHandlers/i,
  /Java object is gone/i,
  /document\.querySelector/i,
  /(web.?search|search).?detection/i,
  /audio.?bridge/i,
]

const unrecorded: readonly string[] = [
  paths.signIn.pattern,
  paths.register.pattern,
  paths.retrievePassword.pattern,
  paths.individual.pattern,
  paths.shopping.pattern,
]

/** Whether a screen may be in a replay: none where people sign in or pay (security.md, "Consent"). */
export const mayRecord = (pathname: string): boolean =>
  !unrecorded.includes(pathname) && !pathname.startsWith('/order/')
