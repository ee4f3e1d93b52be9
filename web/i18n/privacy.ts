import { i18n } from './index.ts'
import en from './en.privacy.json'

// Imported by the question about consent, which arrives after the page.
i18n.addResourceBundle('en', 'translation', en, true)
