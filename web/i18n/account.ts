import { i18n } from './index.ts'
import en from './en/account.json'

// Imported by the sign-in pages, the library, the settings and the member area.
i18n.add('en', en)
