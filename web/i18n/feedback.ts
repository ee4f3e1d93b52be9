import { i18n } from './index.ts'
import en from './en/feedback.json'

// Imported by the feedback dialog, which is opened rarely.
i18n.add('en', en)
