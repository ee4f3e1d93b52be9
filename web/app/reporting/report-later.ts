import type { PageSettings } from '#contract/page-settings.ts'
import { keepEarlyErrors } from '#web/lib/early-errors.ts'
import { whenIdle } from '#web/lib/when-idle.ts'

/** The error reporting is large and nobody waits for it: it comes once the page is idle. */
export function reportLater(to: NonNullable<PageSettings['sentry']>): void {
  const takeErrors = keepEarlyErrors()
  whenIdle(async () => {
    const { reportErrors } = await import('./report-errors.ts')
    reportErrors(to, takeErrors())
  })
}
