import { i18n } from './index.ts'
import en from './en/alerts.json'

// Imported by the parts for new-episode alerts, which are loaded on demand.
i18n.add('en', en)
