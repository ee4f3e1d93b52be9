/** The browser says that it is online before every connection works: what fails again is tried again after these. */
const againAfterMs = [1_000, 4_000]

let returns = 0
addEventListener('online', () => returns++)

/** Runs this once, when the connection comes back. @returns what calls it off */
export type WhenBack = (run: () => void) => () => void

/**
 * Follows the connection for one player, from now on. What is to be done once it is back is done at once where it has come back
 * meanwhile: what fails for a loss may tell of it only afterwards. Each return serves a few times, so that nothing is tried
 * for ever.
 */
export function followConnection(): WhenBack {
  let used = returns
  let waits: number[] = []
  return (run) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const callOff = () => {
      clearTimeout(timer)
      removeEventListener('online', runOnce)
    }
    const runOnce = () => {
      callOff()
      if (returns > used) waits = [...againAfterMs]
      used = returns
      run()
    }
    addEventListener('online', runOnce)
    if (!navigator.onLine) return callOff
    const wait = waits.shift()
    if (returns > used) runOnce()
    else if (wait !== undefined) timer = setTimeout(runOnce, wait)
    return callOff
  }
}
