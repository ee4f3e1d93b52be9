import { useEffect, useState } from 'react'

/** Time without typing after which the search starts. */
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
