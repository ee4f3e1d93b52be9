import type { PageSettings } from '#contract/page-settings.ts'
import { keepEarlyErrors } from '#web/lib/early-errors.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

type Destination = NonNullable<PageSettings['sentry']>

let takeErrors = (): unknown[] => []
let begun: Promise<void> | undefined

/** The error reporting is large and nobody waits for it: it comes once the page is idle. */
export function reportLater(to: Destination): void {
  takeErrors = keepEarlyErrors()
  // Where it cannot be fetched there is nobody to tell.
  whenIdle(() => beginReporting(to).catch(() => {}))
}

/** Begins at once, unless it has begun; where that fails, it may be tried again. */
export function beginReporting(to: Destination): Promise<void> {
  begun ??= import('./report-errors.ts').then(({ reportErrors }) => reportErrors(to, takeErrors()))
  begun.catch(() => {
    begun = undefined
  })
  return begun
}
