import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { loadTexts } from '#web/i18n/index.ts'
import { noteVisit } from '#web/lib/tracking/funnel.ts'
import { settings } from '#web/lib/settings.ts'
import '#web/ui/base.css'
import { Providers } from './providers.tsx'
import { openRouter } from './router.tsx'

/** Mounts the site into the document, in the visitor's language. `byLink`: by one that says where people come from. */
export async function start(byLink: boolean): Promise<void> {
  const router = openRouter()
  noteVisit(byLink)
  const { sentry } = settings
  if (sentry) void import('./reporting/report-later.ts').then(({ reportLater }) => reportLater(sentry))
  await loadTexts('base')
  const element = document.getElementById('app')
  // In slices, so that a slow phone can do other work in between.
  if (element) startTransition(() => createRoot(element).render(<Providers router={router} />))
}
