import { useEffect, useRef, type RefObject } from 'react'

/** Returns the ref for a native modal dialog, which is open while it is mounted. */
export function useModal(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    // The browser restores the focus when a dialog is closed, but not when the dialog's element is removed.
    return () => {
      if (document.activeElement === document.body && opener instanceof HTMLElement)
        opener.focus({ preventScroll: true })
    }
  }, [])
  return dialog
}
