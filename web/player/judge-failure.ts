import type { ErrorData } from 'hls.js'

/** The action for a failure of hls.js; `expired`, `unplayable` and `broken` are passed to the slide. */
export type Verdict = 'ignore' | 'load again' | 'recover' | 'expired' | 'unplayable' | 'broken'

const triesInPlace = 3

const cannotPlay = ['manifestIncompatibleCodecsError', 'bufferIncompatibleCodecsError', 'bufferAddCodecError']

/**
 * The error policy of the player: the one place that decides whether a failure means an expired link, a retry or the end.
 * Retries are counted for each second of the episode, so that none loops.
 */
export class FailureJudge {
  private readonly tries = new Map<number, number>()
  private refusedLink = ''

  /** @param link the link in use; a second refusal of the same link is the same failure */
  judge(
    {
      fatal,
      type,
      details,
      response,
      frag,
    }: Pick<ErrorData, 'fatal' | 'type' | 'details' | 'response' | 'frag'>,
    seconds: number,
    link: string,
  ): Verdict {
    const place = Math.floor(frag?.start ?? seconds)
    if (response?.code === 403 || response?.code === 410) {
      if (link === this.refusedLink) return 'ignore'
      this.refusedLink = link
      return this.mayTry(place) ? 'expired' : 'broken'
    }
    if (!fatal) return 'ignore'
    if (cannotPlay.includes(details)) return 'unplayable'
    if (!this.mayTry(place)) return 'broken'
    return type === 'mediaError' ? 'recover' : 'load again'
  }

  /** The person, or a network that is back, asks for another round. */
  startOver(): void {
    this.tries.clear()
    this.refusedLink = ''
  }

  private mayTry(place: number): boolean {
    const tried = this.tries.get(place) ?? 0
    this.tries.set(place, tried + 1)
    return tried < triesInPlace
  }
}
