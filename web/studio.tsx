import { createRoot } from 'react-dom/client'
import { bringTexts } from '#web/i18n/index.ts'
import { StudioApp } from '#web/studio/StudioApp.tsx'
import { bringStudioTexts } from '#web/studio/texts.ts'
import '#web/i18n/account.ts'
import '#web/i18n/mine.ts'
import '#web/ui/base.css'

// What the viewers' forms, sheets and second factor say, which serve here too.
const shared = ['base', 'watch', 'account', 'mine'] as const
await Promise.all([...shared.map(bringTexts), bringStudioTexts()])
const element = document.getElementById('app')
if (element) createRoot(element).render(<StudioApp />)
