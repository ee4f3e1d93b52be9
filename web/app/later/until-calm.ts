import { isSparing } from '#web/player/engine/bandwidth.ts'

/** Time without input after which a page counts as calm; also the polling interval. */
const quietMs = 3000
const touches = ['pointerdown', 'touchmove', 'wheel', 'keydown'] as const

/** Waits until there was no input for a while, no video plays, and the connection is not metered or slow. */
export function untilCalm(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isTouched = false
  const note = () => {
    isTouched = true
  }
  for (const touch of touches) addEventListener(touch, note, { capture: true, passive: true })
  const look = () => {
    if (isTouched || isPlaying() || isSparing()) {
      isTouched = false
      setTimeout(look, quietMs)
      return
    }
    for (const touch of touches) removeEventListener(touch, note, { capture: true })
    resolve()
  }
  setTimeout(look, quietMs)
  return promise
}

const isPlaying = () => [...document.querySelectorAll('video')].some(({ paused, ended }) => !paused && !ended)
