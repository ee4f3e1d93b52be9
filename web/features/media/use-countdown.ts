import { useEffect, useRef, useState } from 'react'

/**
 * Counts seconds down and calls `onEnd` at zero. Pauses while the page is hidden or a dialog is open.
 * @param from the number of seconds; null starts no countdown
 */
export function useCountdown(
  from: number | null,
  onEnd: () => void,
): { seconds: number | null; stop: () => void } {
  const [seconds, setSeconds] = useState<number | null>(from)
  const latest = useRef(onEnd)
  useEffect(() => {
    latest.current = onEnd
  })
  useEffect(() => {
    if (seconds === null) return
    if (seconds === 0) return void latest.current()
    const timer = setInterval(() => {
      if (!document.hidden && !document.querySelector('dialog[open]')) setSeconds(seconds - 1)
    }, 1000)
    return () => clearInterval(timer)
  }, [seconds])
  return { seconds, stop: () => setSeconds(null) }
}
