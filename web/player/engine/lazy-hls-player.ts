import { freezeFrame } from './freeze-frame.ts'
import { play } from './play.ts'
import type { OpenPlayer, Player } from './player.ts'

/**
 * Plays through hls.js as soon as its script has loaded. Until then the element is unchanged: if it plays natively, hls.js
 * continues at the same position, and the last frame stays on screen in between.
 */
export const openLazyHls: OpenPlayer = (video, first, startSeconds, events) => {
  let source = first
  let isActive = false
  let isResting = false
  let player: Player | undefined
  let chosen: number | null = null
  let isClosed = false
  let isMissing = false

  const open = async () => {
    try {
      const { openHls } = await import('./hls-player.ts')
      if (isClosed || player) return
      const isPlaying = !video.paused
      freezeFrame(video)
      player = openHls(video, source, video.currentTime || startSeconds, events)
      player.choose(chosen)
      player.setActive(isActive)
      player.rest(isResting)
      if (isPlaying) void play(video)
    } catch {
      isMissing = true
      events.onTrouble('broken')
    }
  }
  void open()
  return {
    renditions: () => player?.renditions() ?? [],
    choose(side) {
      chosen = side
      player?.choose(side)
    },
    renew(fresh) {
      source = fresh
      player?.renew(fresh)
    },
    setActive(active) {
      isActive = active
      player?.setActive(active)
    },
    rest(resting) {
      isResting = resting
      player?.rest(resting)
    },
    retry() {
      if (player) player.retry()
      // A module that failed to load is not fetched again in this document.
      else if (isMissing) location.reload()
    },
    close() {
      isClosed = true
      player?.close()
    },
  }
}
