import { i18n } from './index.ts'
import en from './en/search.json'

// Imported by the search, the lists of dramas and the drama feed.
i18n.add('en', en)
