import { useEffect, useRef } from 'react'

const stateKey = 'sheet'

/**
 * Closes an open element when the user presses the browser's Back button, instead of leaving the page. Adds a history
 * entry for that, and removes it if the element is closed in another way.
 */
export function useCloseOnBack(onClose: () => void): void {
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    // Copies the router's state into the new entry, so that the router sees no navigation.
    history.pushState({ ...Object(history.state), [stateKey]: true }, '')
    const onPopState = () => close.current()
    addEventListener('popstate', onPopState)
    return () => {
      removeEventListener('popstate', onPopState)
      if (Object(history.state)[stateKey] === true) history.back()
    }
  }, [])
}
