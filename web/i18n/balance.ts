import { i18n } from './index.ts'
import en from './en/balance.json'

// Imported by what tops up and spends a prepaid balance, on sites that have one.
i18n.add('en', en)
