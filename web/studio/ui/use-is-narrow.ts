import { useSyncExternalStore } from 'react'

const phone = matchMedia('(width < 720px)')
const subscribe = (onStoreChange: () => void) => {
  phone.addEventListener('change', onStoreChange)
  return () => phone.removeEventListener('change', onStoreChange)
}

/** Returns whether the page is as narrow as on a phone, for layouts that a style sheet cannot express. */
export const useIsNarrow = () => useSyncExternalStore(subscribe, () => phone.matches)
