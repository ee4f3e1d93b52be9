import { createRoot } from 'react-dom/client'
import '#web/i18n/index.ts'
import '#web/ui/base.css'
import { Providers } from './providers.tsx'

/** Mounts the site into the document. */
export function start(): void {
  const element = document.getElementById('app')
  if (element) createRoot(element).render(<Providers />)
}
