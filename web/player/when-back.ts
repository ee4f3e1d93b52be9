let returns = 0
addEventListener('online', () => returns++)

/** Runs this once, when the connection comes back. @returns what calls it off */
export type WhenBack = (run: () => void) => () => void

/**
 * Follows the connection for one player, from now on. What is to be done once it is back is done at once where it has come back
 * meanwhile: what fails for a loss may tell of it only afterwards. Each return serves once, so that nothing is tried for ever.
 */
export function followConnection(): WhenBack {
  let used = returns
  return (run) => {
    const runOnce = () => {
      used = returns
      run()
    }
    if (returns > used && navigator.onLine) {
      runOnce()
      return () => {}
    }
    addEventListener('online', runOnce, { once: true })
    return () => removeEventListener('online', runOnce)
  }
}
