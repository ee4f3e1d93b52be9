import { useCallback, useEffect, useRef, useState } from 'react'

const restMs = 2500

/** Controls that go away after a rest while `fading` holds; `poke` brings them back. */
export function useFade(fading: boolean): { visible: boolean; poke: () => void } {
  const [rested, setRested] = useState(false)
  const isFading = useRef(fading)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // A pointer that moves pokes all the time: nothing is rendered for it while the controls are there.
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
