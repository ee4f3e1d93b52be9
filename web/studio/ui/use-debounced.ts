import { useEffect, useState } from 'react'

/** The default delay, after which a search starts when typing pauses. */
const defaultDelayMs = 300

/** Returns the debounced value: the latest value that stayed unchanged for `delayMs`. */
export function useDebounced<Value>(value: Value, delayMs = defaultDelayMs): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return debounced
}
