import { holdPicture } from './hold-picture.ts'
import { play } from './play.ts'
import type { OpenPlayer, Player } from './stream.ts'

/**
 * Plays through hls.js as soon as that has come. Until then the element is left as it is: if it plays already, hls.js goes on
 * at that second, and the picture stands still for the moment between.
 */
export const openHlsSoon: OpenPlayer = (video, first, startSeconds, events) => {
  let source = first
  let isActive = false
  let isResting = false
  let player: Player | undefined
  let isClosed = false
  let isMissing = false

  const open = async () => {
    try {
      const { openHls } = await import('./hls-player.ts')
      if (isClosed || player) return
      const isPlaying = !video.paused
      holdPicture(video)
      player = openHls(video, source, video.currentTime || startSeconds, events)
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
    rungs: () => player?.rungs() ?? [],
    // Asked for again when the rungs are known.
    choose: (side) => player?.choose(side),
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
      // A module that could not be fetched is not fetched again in this document.
      else if (isMissing) location.reload()
    },
    close() {
      isClosed = true
      player?.close()
    },
  }
}
