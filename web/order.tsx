import { createRoot } from 'react-dom/client'
import { bringTexts } from '#web/i18n/index.ts'
import '#web/i18n/watch.ts'
import { OrderPage } from '#web/features/billing/OrderPage.tsx'
import { isFramed } from '#web/features/billing/order-report.ts'
import '#web/ui/base.css'

// Inside a sheet the form has the sheet's own surface.
if (isFramed()) document.documentElement.dataset.framed = ''
await Promise.all([bringTexts('base'), bringTexts('watch')])
const element = document.getElementById('app')
if (element) createRoot(element).render(<OrderPage />)
