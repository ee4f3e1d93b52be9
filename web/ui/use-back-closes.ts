import { useEffect, useRef } from 'react'

const mark = 'sheet'

/**
 * Has the browser's Back close what is open, in place of leaving the page: it gets an entry of its own in the history, which is
 * taken away again where it is closed in another way.
 */
export function useBackCloses(onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    // The router's own state stays in the entry, so that it sees the same page.
    history.pushState({ ...Object(history.state), [mark]: true }, '')
    const back = () => close.current()
    addEventListener('popstate', back)
    return () => {
      removeEventListener('popstate', back)
      if (Object(history.state)[mark] === true) history.back()
    }
  }, [])
}
