import type { PageSettings } from '#contract/page-settings.ts'
import { collectEarlyErrors } from '#web/lib/early-errors.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

type Destination = NonNullable<PageSettings['sentry']>

let takeEarlyErrors = (): unknown[] => []
let loading: Promise<void> | undefined

/** Loads the error reporting when the page is idle, because it is large. Until then, errors are collected. */
export function loadErrorReportingWhenIdle(destination: Destination): void {
  takeEarlyErrors = collectEarlyErrors()
  // A failed load is ignored: without error reporting it cannot be reported.
  whenIdle(() => loadErrorReporting(destination).catch(() => {}))
}

/** Loads and starts the error reporting once. After a failure, the next call tries again. */
export function loadErrorReporting(destination: Destination): Promise<void> {
  loading ??= import('./start-error-reporting.ts').then(({ startErrorReporting }) =>
    startErrorReporting(destination, takeEarlyErrors()),
  )
  loading.catch(() => {
    loading = undefined
  })
  return loading
}
