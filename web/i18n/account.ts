import { i18n } from './index.ts'
import en from './en/account.json'

// Imported by the user menu, the studio, and the screens for sign-in, the user's lists, settings and the member area.
i18n.add('en', en)
