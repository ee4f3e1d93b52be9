import type { PageSettings } from '#contract/page-settings.ts'
import { collectEarlyErrors } from '#web/lib/early-errors.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

type Destination = NonNullable<PageSettings['sentry']>

let takeErrors = (): unknown[] => []
let started: Promise<void> | undefined

/** Loads the error reporting once the page is idle, because it is large and nothing waits for it. */
export function reportLater(to: Destination): void {
  takeErrors = collectEarlyErrors()
  // A failure to load it cannot be reported.
  whenIdle(() => beginReporting(to).catch(() => {}))
}

/** Starts loading the error reporting at once, unless it has started; may be called again after a failure. */
export function beginReporting(to: Destination): Promise<void> {
  started ??= import('./report-errors.ts').then(({ reportErrors }) => reportErrors(to, takeErrors()))
  started.catch(() => {
    started = undefined
  })
  return started
}
