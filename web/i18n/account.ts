import { i18n } from './index.ts'
import en from './en/account.json'

// Imported by the user's lists, account and settings.
i18n.add('en', en)
