import { createRoot } from 'react-dom/client'
import { bringTexts } from '#web/i18n/index.ts'
import '#web/ui/base.css'
import { Providers } from './providers.tsx'

/** Mounts the site into the document, in the visitor's language. */
export async function start(): Promise<void> {
  await bringTexts('base')
  const element = document.getElementById('app')
  if (element) createRoot(element).render(<Providers />)
}
