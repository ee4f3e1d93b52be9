import { useEffect, useState } from 'react'

/** Time without typing after which the search starts. */
const defaultDelayMs = 300

/** Returns the value as it was when it last stayed unchanged for `delayMs` (debounce). */
export function useDebounced<Value>(value: Value, delayMs = defaultDelayMs): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return debounced
}
