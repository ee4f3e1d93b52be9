import { i18n } from './index.ts'
import en from './en/account.json'

// Imported by what a person keeps here: lists, account, settings.
i18n.add('en', en)
