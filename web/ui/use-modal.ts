import { useEffect, useRef, type RefObject } from 'react'

/** A native modal dialog that is open while it is mounted. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // The browser gives the focus back when a dialog is closed, but not when it just goes, as it does once it is done.
    return () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement)
        opener.focus({ preventScroll: true })
    }
  }, [])
  return dialog
}
