import { createRoot } from 'react-dom/client'
import type { getHomepage } from '#contract/catalog.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { loadTexts } from './i18n/index.ts'
import './i18n/watch.ts'
import { OrderPage } from './features/billing/order-form/OrderPage.tsx'
import { readRecord } from './lib/storage.ts'
import './ui/base.css'

// The surface of the sheet that the form usually stands in, and of the gateway's frame.
document.documentElement.dataset.raised = ''
// The operator's accent, as the site that opened this document has kept it.
const accent = readRecord<ResultOf<typeof getHomepage>>('homepage')?.pay_theme.accent
if (accent && CSS.supports('color', accent)) document.documentElement.style.setProperty('--accent', accent)
await Promise.all([loadTexts('base'), loadTexts('watch')])
const element = document.getElementById('app')
if (element) createRoot(element).render(<OrderPage />)
