import { freezeFrame } from './freeze-frame.ts'
import { play } from './play.ts'
import type { OpenPlayer, Player } from './player.ts'

/**
 * Plays through hls.js as soon as its script has loaded. Until then it does not touch the element. If the element
 * already plays natively, hls.js continues at the same position, and the last frame stays on screen in between.
 */
export const openLazyHlsPlayer: OpenPlayer = (video, initialSource, startSeconds, events) => {
  let source = initialSource
  let isActive = false
  let isSuspended = false
  let player: Player | undefined
  let chosenSide: number | null = null
  let isClosed = false
  let hasLoadFailed = false

  const open = async () => {
    try {
      const { openHlsPlayer } = await import('./hls-player.ts')
      if (isClosed || player) return
      const isPlaying = !video.paused
      freezeFrame(video)
      player = openHlsPlayer(video, source, video.currentTime || startSeconds, events)
      player.chooseRendition(chosenSide)
      player.setActive(isActive)
      player.setSuspended(isSuspended)
      if (isPlaying) void play(video)
    } catch {
      hasLoadFailed = true
      events.onError('broken')
    }
  }
  void open()
  return {
    renditions: () => player?.renditions() ?? [],
    chooseRendition(side) {
      chosenSide = side
      player?.chooseRendition(side)
    },
    renew(fresh) {
      source = fresh
      player?.renew(fresh)
    },
    setActive(active) {
      isActive = active
      player?.setActive(active)
    },
    setSuspended(suspended) {
      isSuspended = suspended
      player?.setSuspended(suspended)
    },
    retry() {
      if (player) player.retry()
      // A browser does not fetch a module again in the same document after its load has failed.
      else if (hasLoadFailed) location.reload()
    },
    close() {
      isClosed = true
      player?.close()
    },
  }
}
