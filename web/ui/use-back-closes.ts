import { useEffect, useRef } from 'react'

const mark = 'sheet'

/**
 * Closes an open element on the browser's Back instead of leaving the page. It adds a history entry, which is removed if the
 * element is closed otherwise.
 */
export function useBackCloses(onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    // Keeps the router's own state in the entry, so that it sees the same page.
    history.pushState({ ...Object(history.state), [mark]: true }, '')
    const back = () => close.current()
    addEventListener('popstate', back)
    return () => {
      removeEventListener('popstate', back)
      if (Object(history.state)[mark] === true) history.back()
    }
  }, [])
}
