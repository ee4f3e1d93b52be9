import { i18n } from './index.ts'
import en from './en/search.json'

// Imported by the search screen.
i18n.add('en', en)
