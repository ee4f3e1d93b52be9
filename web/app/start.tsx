import { createRoot } from 'react-dom/client'
import { bringTexts } from '#web/i18n/index.ts'
import { keepEarlyErrors } from '#web/lib/early-errors.ts'
import { settings } from '#web/lib/settings.ts'
import { whenIdle } from '#web/lib/when-idle.ts'
import '#web/ui/base.css'
import { Providers } from './providers.tsx'

/** Mounts the site into the document, in the visitor's language. */
export async function start(): Promise<void> {
  if (settings.sentry) reportLater(settings.sentry)
  await bringTexts('base')
  const element = document.getElementById('app')
  if (element) createRoot(element).render(<Providers />)
}

/** The error reporting is large and nobody waits for it: it comes once the page is idle. */
function reportLater(to: NonNullable<typeof settings.sentry>): void {
  const takeErrors = keepEarlyErrors()
  whenIdle(async () => {
    const { reportErrors } = await import('./reporting/report-errors.ts')
    reportErrors(to, takeErrors())
  })
}
