import { useSyncExternalStore } from 'react'

const phone = matchMedia('(width < 720px)')
const onTurn = (tell: () => void) => {
  phone.addEventListener('change', tell)
  return () => phone.removeEventListener('change', tell)
}

/** Whether the page is as narrow as a phone's, for what a style sheet can't lay out. */
export const useNarrow = () => useSyncExternalStore(onTurn, () => phone.matches)
