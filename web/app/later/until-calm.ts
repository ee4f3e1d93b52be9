import { isSparing } from '#web/player/engine/bandwidth.ts'

/** How long nobody has touched a page that is calm; as often it is looked at again. */
const quietMs = 3000
const touches = ['pointerdown', 'touchmove', 'wheel', 'keydown'] as const

/** Waits until nobody has touched the page for a while, no video plays in it, and the connection is not one where every byte may cost. */
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
