import { i18n } from './index.ts'
import en from './en/search.json'

// Imported by the search, by lists of dramas, and by the feed of them.
i18n.add('en', en)
