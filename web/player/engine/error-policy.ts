import type { ErrorData } from 'hls.js'

/** The action for an error of hls.js; `expired`, `unplayable` and `broken` are passed to the slide. */
export type ErrorAction = 'ignore' | 'load again' | 'recover' | 'expired' | 'unplayable' | 'broken'

const maxRetries = 3

const unplayableErrors = [
  'manifestIncompatibleCodecsError',
  'bufferIncompatibleCodecsError',
  'bufferAddCodecError',
]

/**
 * The player's error policy, the only place that decides whether an error means an expired link, a retry or the end. Retries are
 * counted per second of the episode, so that none loops.
 */
export class ErrorPolicy {
  private readonly retries = new Map<number, number>()
  private refusedLink = ''

  /** @param link the link in use; a second refusal of the same link counts as the same error */
  decide(
    {
      fatal,
      type,
      details,
      response,
      frag,
    }: Pick<ErrorData, 'fatal' | 'type' | 'details' | 'response' | 'frag'>,
    seconds: number,
    link: string,
  ): ErrorAction {
    const second = Math.floor(frag?.start ?? seconds)
    if (response?.code === 403 || response?.code === 410) {
      if (link === this.refusedLink) return 'ignore'
      this.refusedLink = link
      return this.mayRetry(second) ? 'expired' : 'broken'
    }
    if (!fatal) return 'ignore'
    if (unplayableErrors.includes(details)) return 'unplayable'
    if (!this.mayRetry(second)) return 'broken'
    return type === 'mediaError' ? 'recover' : 'load again'
  }

  /** Resets the retries, when the user or a restored network asks for another round. */
  reset(): void {
    this.retries.clear()
    this.refusedLink = ''
  }

  private mayRetry(second: number): boolean {
    const retriesSoFar = this.retries.get(second) ?? 0
    this.retries.set(second, retriesSoFar + 1)
    return retriesSoFar < maxRetries
  }
}
