import { createRoot } from 'react-dom/client'
import { loadTexts } from './i18n/index.ts'
import { StudioApp } from './studio/StudioApp.tsx'
import { loadStudioTexts } from './studio/texts.ts'
import './i18n/account.ts'
import './i18n/member-area.ts'
import './ui/base.css'

// Text parts that the studio shares with the site: forms, sheets and the second factor.
const shared = ['base', 'watch', 'account', 'member-area'] as const
await Promise.all([...shared.map(loadTexts), loadStudioTexts()])
const element = document.getElementById('app')
if (element) createRoot(element).render(<StudioApp />)
