import { useEffect, useRef } from 'react'

const stateKey = 'sheet'

/**
 * Closes an open element on the browser's Back instead of leaving the page. It adds a history entry, which is removed if the
 * element is closed otherwise.
 */
export function useCloseOnBack(onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    // Keeps the router's own state in the entry, so that it sees the same page.
    history.pushState({ ...Object(history.state), [stateKey]: true }, '')
    const onPopState = () => close.current()
    addEventListener('popstate', onPopState)
    return () => {
      removeEventListener('popstate', onPopState)
      if (Object(history.state)[stateKey] === true) history.back()
    }
  }, [])
}
