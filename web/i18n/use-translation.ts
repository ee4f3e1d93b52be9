import { useSyncExternalStore } from 'react'
import { i18n } from './index.ts'

function subscribe(changed: () => void): () => void {
  i18n.on('languageChanged', changed)
  return () => i18n.off('languageChanged', changed)
}

const current = () => i18n.language

/** The texts in the language of the screens; whoever uses them is drawn again when it changes. */
export function useTranslation() {
  useSyncExternalStore(subscribe, current, current)
  return { t: i18n.t, i18n }
}
