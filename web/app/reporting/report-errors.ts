import {
  addIntegration,
  browserProfilingIntegration,
  browserTracingIntegration,
  captureException,
  getClient,
  init,
  replayIntegration,
} from '@sentry/browser'
import type { PageSettings } from '#contract/page-settings.ts'
import { environmentOf, scrub } from '#contract/error-reports.ts'
import { onPathChange } from '#web/app/path-changes.ts'
import { ignoredErrors, mayRecord, rates } from './rules.ts'

/** Starts reporting errors, traces, profiles and replays, and reports the errors collected before. */
export function reportErrors(
  { dsn, sandbox_host_suffix }: NonNullable<PageSettings['sentry']>,
  before: readonly unknown[],
): void {
  init({
    dsn,
    environment: environmentOf(location.host, sandbox_host_suffix),
    ...rates,
    profileLifecycle: 'trace',
    ignoreErrors: ignoredErrors,
    // Personal data is never sent.
    dataCollection: {
      userInfo: false,
      cookies: false,
      httpHeaders: false,
      httpBodies: [],
      urlQueryParams: false,
      stackFrameVariables: false,
    },
    integrations: [browserTracingIntegration(), browserProfilingIntegration()],
  })
  // Every kind of report passes through this event.
  getClient()?.on('beforeEnvelope', scrub)
  recordWhereAllowed()
  performance.mark('reporting')
  for (const error of before) captureException(error)
}

/** Pauses replays on screens for signing in and paying. The payment form's iframe is never recorded. */
function recordWhereAllowed(): void {
  const replay = replayIntegration({
    maskAllText: true,
    maskAllInputs: true,
    blockAllMedia: true,
    block: ['iframe'],
    beforeAddRecordingEvent: (event) => (scrub(event), event),
  })
  let started = false
  let mode: ReturnType<typeof replay.getRecordingMode>
  const settle = (pathname: string) => {
    if (mayRecord(pathname)) {
      if (!started) addIntegration(replay)
      else if (mode === 'session') replay.start()
      else if (mode === 'buffer') replay.startBuffering()
      started = true
      mode = undefined
    } else if (started && replay.getRecordingMode()) {
      mode = replay.getRecordingMode()
      void replay.stop()
    }
  }
  settle(location.pathname)
  let shown = location.pathname
  onPathChange((pathname) => {
    if (pathname === shown) return
    shown = pathname
    settle(pathname)
  })
}
