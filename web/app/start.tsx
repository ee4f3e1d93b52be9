import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { bringTexts } from '#web/i18n/index.ts'
import { settings } from '#web/lib/settings.ts'
import '#web/ui/base.css'
import { Providers } from './providers.tsx'

/** Mounts the site into the document, in the visitor's language. */
export async function start(): Promise<void> {
  const { sentry } = settings
  if (sentry) void import('./reporting/report-later.ts').then(({ reportLater }) => reportLater(sentry))
  await bringTexts('base')
  const element = document.getElementById('app')
  // In slices: a slow phone goes on with its other work in between.
  if (element) startTransition(() => createRoot(element).render(<Providers />))
}
