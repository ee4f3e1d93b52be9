import { createRoot } from 'react-dom/client'
import type { getHomepage } from '#contract/catalog.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { loadTexts } from './i18n/index.ts'
import './i18n/watch.ts'
import { OrderPage } from './features/billing/order-form/OrderPage.tsx'
import { readRecord } from './lib/storage.ts'
import './ui/base.css'

// Uses the surface colour of a sheet, in which the form and the gateway's frame usually are.
document.documentElement.dataset.raised = ''
// The operator's accent colour, as cached by the page that opened this document.
const accent = readRecord<ResultOf<typeof getHomepage>>('homepage')?.pay_theme.accent
if (accent && CSS.supports('color', accent)) document.documentElement.style.setProperty('--accent', accent)
await Promise.all([loadTexts('base'), loadTexts('watch')])
const element = document.getElementById('app')
if (element) createRoot(element).render(<OrderPage />)
