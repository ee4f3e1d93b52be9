import { i18n } from './index.ts'
import en from './en/pages.json'

// The English texts of the pages that show terms, privacy policy and similar texts. Only these pages import this file.
i18n.add('en', en)
