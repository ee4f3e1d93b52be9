import { createRoot } from 'react-dom/client'
import { bringTexts } from '#web/i18n/index.ts'
import { StudioApp } from '#web/studio/StudioApp.tsx'
import { bringStudioTexts } from '#web/studio/texts.ts'
import '#web/ui/base.css'

await Promise.all([bringTexts('base'), bringStudioTexts()])
const element = document.getElementById('app')
if (element) createRoot(element).render(<StudioApp />)
