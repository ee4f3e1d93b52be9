import { useCallback, useEffect, useRef, useState } from 'react'

const restMs = 2500

/** Hides the controls after a rest while `fading` is true; `poke` shows them again. */
export function useFade(fading: boolean): { visible: boolean; poke: () => void } {
  const [rested, setRested] = useState(false)
  const isFading = useRef(fading)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // A moving pointer calls this continuously; while the controls are visible nothing is rendered.
  const poke = useCallback(() => {
    clearTimeout(timer.current)
    setRested(false)
    if (isFading.current) timer.current = setTimeout(() => setRested(true), restMs)
  }, [])
  useEffect(() => {
    isFading.current = fading
    poke()
    return () => clearTimeout(timer.current)
  }, [fading, poke])
  return { visible: !rested, poke }
}
