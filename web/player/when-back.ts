let isBack = false
addEventListener('offline', () => (isBack = false))
addEventListener('online', () => (isBack = true))

/**
 * Runs when the connection comes back; at once, where it has come back since this was last of use: what failed may tell of it
 * only afterwards.
 * @returns what calls it off
 */
export function whenBack(run: () => void): () => void {
  const runOnce = () => {
    isBack = false
    run()
  }
  if (isBack) {
    runOnce()
    return () => {}
  }
  addEventListener('online', runOnce)
  return () => removeEventListener('online', runOnce)
}
