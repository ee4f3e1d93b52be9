import { useSyncExternalStore } from 'react'

const phone = matchMedia('(width < 720px)')
const onTurn = (tell: () => void) => {
  phone.addEventListener('change', tell)
  return () => phone.removeEventListener('change', tell)
}

/** Returns whether the page is as narrow as a phone's, for layouts that a style sheet cannot express. */
export const useNarrow = () => useSyncExternalStore(onTurn, () => phone.matches)
