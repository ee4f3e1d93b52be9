import { i18n } from './index.ts'
import en from './en/pages.json'

// Imported by the pages of the six site texts.
i18n.add('en', en)
