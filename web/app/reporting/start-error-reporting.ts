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
import { environmentOf, scrubReport } from '#contract/error-reports.ts'
import { onPathChange } from '#web/app/path-changes.ts'
import { ignoredErrors, canRecordReplay, sampleRates } from './sentry-options.ts'

/** Starts the reporting of errors, traces, profiles and replays, and reports the errors that were collected earlier. */
export function startErrorReporting(
  { dsn, sandbox_host_suffix }: NonNullable<PageSettings['sentry']>,
  earlyErrors: readonly unknown[],
): void {
  init({
    dsn,
    environment: environmentOf(location.host, sandbox_host_suffix),
    ...sampleRates,
    profileLifecycle: 'trace',
    ignoreErrors: ignoredErrors,
    // Personal data must never be sent.
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
  // Sentry emits this event before it sends a report of any kind.
  getClient()?.on('beforeEnvelope', scrubReport)
  startReplays()
  performance.mark('reporting')
  for (const error of earlyErrors) captureException(error)
}

/**
 * Starts replays. They are paused on the screens for signing in and paying. The iframe of the payment form is never
 * recorded.
 */
function startReplays(): void {
  const replay = replayIntegration({
    maskAllText: true,
    maskAllInputs: true,
    blockAllMedia: true,
    block: ['iframe'],
    beforeAddRecordingEvent: (event) => (scrubReport(event), event),
  })
  let started = false
  let mode: ReturnType<typeof replay.getRecordingMode>
  const updateRecording = (pathname: string) => {
    if (canRecordReplay(pathname)) {
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
  updateRecording(location.pathname)
  let currentPath = location.pathname
  onPathChange((pathname) => {
    if (pathname === currentPath) return
    currentPath = pathname
    updateRecording(pathname)
  })
}
