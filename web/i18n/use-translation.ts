import { useSyncExternalStore } from 'react'
import { i18n } from './index.ts'

const current = () => i18n.language

/** The texts in the language of the screens; whoever uses them is drawn again when it changes. */
export function useTranslation() {
  useSyncExternalStore(i18n.onChange, current, current)
  return { t: i18n.t, i18n }
}
