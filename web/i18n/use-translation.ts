import { useSyncExternalStore } from 'react'
import { i18n } from './index.ts'

function subscribe(changed: () => void): () => void {
  i18n.on('languageChanged', changed)
  return () => i18n.off('languageChanged', changed)
}

/** The texts in the language of the screens; whoever uses them is drawn again when it changes. */
export function useTranslation() {
  useSyncExternalStore(subscribe, () => i18n.language)
  return { t: i18n.t, i18n }
}
