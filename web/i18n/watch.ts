import { i18n } from './index.ts'
import en from './en/watch.json'

// Imported by what watches and pays; the first screens do without.
i18n.add('en', en)
