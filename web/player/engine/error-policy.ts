import type { ErrorData } from 'hls.js'

/**
 * The reaction to an error of hls.js. The caller handles `load again` and `recover`; the last three are passed to the
 * slide.
 */
export type ErrorAction = 'ignore' | 'load again' | 'recover' | 'expired' | 'unplayable' | 'broken'

const maxRetries = 3

const unplayableErrors = [
  'manifestIncompatibleCodecsError',
  'bufferIncompatibleCodecsError',
  'bufferAddCodecError',
]

/**
 * The player's error policy: decides whether an error means a retry, an expired link or a failure. Each second of the
 * episode allows a limited number of retries, so that no error is retried forever.
 */
export class ErrorPolicy {
  private readonly retries = new Map<number, number>()
  private refusedLink = ''

  /**
   * @param link the link in use; if it is refused again, the error is ignored, because a fresh link was already
   * requested
   */
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

  /** Forgets earlier errors, so that the full number of retries is available again. */
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
