import { shouldSaveData } from '#web/player/engine/bandwidth.ts'

/** Time without input after which a page counts as inactive; also the polling interval. */
const inactiveMs = 3000
const inputEvents = ['pointerdown', 'touchmove', 'wheel', 'keydown'] as const

/** Waits until there was no input for a while, no video plays, and the connection is neither metered nor slow. */
export function waitUntilInactive(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let hadInput = false
  const onInput = () => {
    hadInput = true
  }
  for (const event of inputEvents) addEventListener(event, onInput, { capture: true, passive: true })
  const check = () => {
    if (hadInput || isPlaying() || shouldSaveData()) {
      hadInput = false
      setTimeout(check, inactiveMs)
      return
    }
    for (const event of inputEvents) removeEventListener(event, onInput, { capture: true })
    resolve()
  }
  setTimeout(check, inactiveMs)
  return promise
}

const isPlaying = () => [...document.querySelectorAll('video')].some(({ paused, ended }) => !paused && !ended)
