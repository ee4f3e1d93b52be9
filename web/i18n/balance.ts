import { i18n } from './index.ts'
import en from './en/balance.json'

// Imported by the parts for prepaid balances, on sites that have balances.
i18n.add('en', en)
