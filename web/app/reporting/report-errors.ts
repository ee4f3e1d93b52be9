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

/** Reports errors, traces, profiles and replays from now on, and the errors that came before. */
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
    // Nothing that says who the person is.
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
  // The one place that every kind of report passes through.
  getClient()?.on('beforeEnvelope', scrub)
  recordWhereAllowed()
  performance.mark('reporting')
  for (const error of before) captureException(error)
}

/** Replays stop where people sign in or pay, and go on after. The payment form's frame is never in one. */
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
