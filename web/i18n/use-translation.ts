import { useSyncExternalStore } from 'react'
import { i18n } from './index.ts'

const getLanguage = () => i18n.language

/** Returns the texts in the interface language; components that use them render again when it changes. */
export function useTranslation() {
  useSyncExternalStore(i18n.onChange, getLanguage, getLanguage)
  return { t: i18n.t, i18n }
}
