import { i18n } from './index.ts'
import en from './en/watch.json'

// Imported by the player and the payment parts; the first screens do not need it.
i18n.add('en', en)
