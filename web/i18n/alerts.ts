import { i18n } from './index.ts'
import en from './en/alerts.json'

// Imported by what is about new-episode alerts, each of which is loaded on need.
i18n.add('en', en)
