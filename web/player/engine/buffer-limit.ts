import Hls from 'hls.js'

/** A full buffer is refilled only after it has fallen to this length. */
const refillBelowSeconds = 20
/** Tolerance when the buffer's length is compared: hls.js measures it differently, by up to a few frames. */
const toleranceSeconds = 0.25

/**
 * Pauses loading while the buffer is full. Otherwise hls.js would check ten times a second for something to load. The
 * class does not resume loading; `HlsPlayer` does.
 */
export class BufferLimit {
  /** Whether loading is paused because the buffer is full. */
  isPaused = false
  /**
   * The position in seconds at which loading resumes. Computed once per pause, because reading the buffered ranges is
   * expensive.
   */
  private resumeAtSeconds = Infinity
  private readonly hls: Hls
  private readonly video: HTMLVideoElement

  constructor(hls: Hls, video: HTMLVideoElement) {
    this.hls = hls
    this.video = video
    hls.on(Hls.Events.FRAG_BUFFERED, () => this.pauseIfFull())
    // At the end of the stream, pauses only after this event: while loading is paused, hls.js would not signal the end.
    hls.on(Hls.Events.BUFFERED_TO_END, () => this.pause())
  }

  pauseIfFull(): void {
    const isFull = secondsAhead(this.video) >= this.hls.config.maxBufferLength - toleranceSeconds
    if (isFull && !isEndBuffered(this.video)) this.pause()
  }

  /** Returns whether loading is paused and the buffer has to be refilled. */
  isLow(): boolean {
    return this.isPaused && this.video.currentTime > this.resumeAtSeconds
  }

  private pause(): void {
    const { hls, video } = this
    this.isPaused = true
    this.resumeAtSeconds = isEndBuffered(video)
      ? Infinity
      : video.currentTime + secondsAhead(video) - refillBelowSeconds
    hls.stopLoad()
  }
}

/** Returns the seconds that are buffered after the current position without a gap. */
function secondsAhead({ buffered, currentTime }: HTMLVideoElement): number {
  for (let i = 0; i < buffered.length; i++)
    if (currentTime >= buffered.start(i) - toleranceSeconds && currentTime <= buffered.end(i))
      return buffered.end(i) - currentTime
  return 0
}

function isEndBuffered(video: HTMLVideoElement): boolean {
  return video.currentTime + secondsAhead(video) >= video.duration - toleranceSeconds
}
