import { i18n } from './index.ts'
import en from './en/member-area.json'

// Imported by the profile and the member area.
i18n.add('en', en)
