import { useEffect, useState } from 'react'

/** The pause in typing before the search starts. */
const usualMs = 300

/** Returns the value after it has not changed for a moment, such as a text once typing pauses (debounce). */
export function useSettled<Value>(value: Value, restMs = usualMs): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs)
    return () => clearTimeout(timer)
  }, [value, restMs])
  return settled
}
