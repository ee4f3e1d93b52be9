import { useEffect, useState } from 'react'

/** The default delay, chosen for searches: a search starts after typing has paused for this time. */
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
