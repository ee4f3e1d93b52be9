import { useCallback, useEffect, useState } from 'react'

const restMs = 2500

/** Controls that go away after a rest while `fading` holds; `poke` brings them back. */
export function useFade(fading: boolean): { visible: boolean; poke: () => void } {
  const [pokes, setPokes] = useState(0)
  const [rested, setRested] = useState(false)
  useEffect(() => {
    setRested(false)
    if (!fading) return
    const timer = setTimeout(() => setRested(true), restMs)
    return () => clearTimeout(timer)
  }, [fading, pokes])
  const poke = useCallback(() => setPokes((count) => count + 1), [])
  return { visible: !rested, poke }
}
