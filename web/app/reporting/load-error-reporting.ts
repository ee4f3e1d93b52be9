import type { PageSettings } from '#contract/page-settings.ts'
import { collectEarlyErrors } from '#web/lib/early-errors.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

type Destination = NonNullable<PageSettings['sentry']>

let takeEarlyErrors = (): unknown[] => []
let loading: Promise<void> | undefined

/** Loads the error reporting once the page is idle, because it is large and nothing waits for it. */
export function loadErrorReportingWhenIdle(destination: Destination): void {
  takeEarlyErrors = collectEarlyErrors()
  // A failure to load it cannot be reported.
  whenIdle(() => loadErrorReporting(destination).catch(() => {}))
}

/** Starts loading the error reporting at once, unless it has started; may be called again after a failure. */
export function loadErrorReporting(destination: Destination): Promise<void> {
  loading ??= import('./start-error-reporting.ts').then(({ startErrorReporting }) =>
    startErrorReporting(destination, takeEarlyErrors()),
  )
  loading.catch(() => {
    loading = undefined
  })
  return loading
}
