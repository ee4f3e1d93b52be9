import { i18n } from './index.ts'
import en from './en/pages.json'

// Imported by the screen that shows the site's texts, such as the terms and the privacy policy.
i18n.add('en', en)
