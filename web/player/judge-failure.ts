import type { ErrorData } from 'hls.js'

/** What is to be done about a failure of hls.js; `expired`, `unplayable` and `broken` are told to the slide. */
export type Verdict = 'ignore' | 'load again' | 'recover' | 'expired' | 'unplayable' | 'broken'

const triesInPlace = 3
/** Further than this, the picture has got past what had failed. */
const movedOnSeconds = 1

const cannotPlay = ['manifestIncompatibleCodecsError', 'bufferIncompatibleCodecsError', 'bufferAddCodecError']

/**
 * The one place that decides what a failure means: an old link, a hiccup, or the end. Tries are counted until the picture has
 * moved on, so that no retry loops.
 */
export class FailureJudge {
  private left = triesInPlace
  private failedAt = -Infinity
  private refusedLink = ''

  /** @param link the one that is played by; a second refusal of the same one is the same failure */
  judge(
    data: Pick<ErrorData, 'fatal' | 'type' | 'details' | 'response'>,
    seconds: number,
    link: string,
  ): Verdict {
    const { fatal, type, details, response } = data
    if (response?.code === 403 || response?.code === 410) {
      if (link === this.refusedLink) return 'ignore'
      this.refusedLink = link
      return this.mayTry(seconds) ? 'expired' : 'broken'
    }
    if (!fatal) return 'ignore'
    if (cannotPlay.includes(details)) return 'unplayable'
    if (!this.mayTry(seconds)) return 'broken'
    return type === 'mediaError' ? 'recover' : 'load again'
  }

  /** The person asks for another round. */
  startOver(): void {
    this.left = triesInPlace
    this.refusedLink = ''
  }

  private mayTry(seconds: number): boolean {
    if (seconds > this.failedAt + movedOnSeconds || seconds < this.failedAt) this.left = triesInPlace
    this.failedAt = seconds
    return this.left-- > 0
  }
}
