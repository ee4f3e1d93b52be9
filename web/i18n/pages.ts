import { i18n } from './index.ts'
import en from './en/pages.json'

// Imported by the six texts.
i18n.add('en', en)
