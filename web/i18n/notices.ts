import { i18n } from './index.ts'
import en from './en/notices.json'

// Imported by the parts that load once the page is idle.
i18n.add('en', en)
