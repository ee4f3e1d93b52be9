import { i18n } from './index.ts'
import en from './en/balance.json'

// Imported by the parts for a prepaid balance, on sites that have one.
i18n.add('en', en)
