import { useEffect, useState } from 'react'

/** The pause in typing before the search starts. */
const defaultDelayMs = 300

/** Returns the value after it has not changed for a moment, such as a text once typing pauses (debounce). */
export function useDebounced<Value>(value: Value, delayMs = defaultDelayMs): Value {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return debounced
}
