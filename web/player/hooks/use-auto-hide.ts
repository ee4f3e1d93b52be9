import { useCallback, useEffect, useRef, useState } from 'react'

const hideAfterMs = 2500

/** Hides the controls after a while without input, if `enabled`; `showControls` shows them again. */
export function useAutoHide(enabled: boolean): { visible: boolean; showControls: () => void } {
  const [hidden, setHidden] = useState(false)
  const isEnabled = useRef(enabled)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Called continuously while the pointer moves; renders only if the controls were hidden.
  const showControls = useCallback(() => {
    clearTimeout(timer.current)
    setHidden(false)
    if (isEnabled.current) timer.current = setTimeout(() => setHidden(true), hideAfterMs)
  }, [])
  useEffect(() => {
    isEnabled.current = enabled
    showControls()
    return () => clearTimeout(timer.current)
  }, [enabled, showControls])
  return { visible: !hidden, showControls }
}
