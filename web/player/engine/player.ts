/** The source of a player: an HLS stream with a signed URL that expires. */
export interface Source {
  hls_url: string
  expires_at: string
  poster_url: string
  encrypted: boolean
}

/** A player that loads and decodes a stream: hls.js or the browser's native player. */
export interface Player {
  /**
   * Returns the shorter sides of the renditions, lowest first; empty until they are known, or if the browser chooses
   * automatically.
   */
  renditions(): number[]
  /** Chooses a rendition by its shorter side; null means automatic choice. */
  chooseRendition(side: number | null): void
  /** Continues at the same position with a fresh link. */
  renew(source: Source): void
  /** Sets whether the stream is on screen. A stream off screen loads only a few seconds ahead. */
  setActive(active: boolean): void
  /** Stops or resumes loading, if the player supports it. */
  setSuspended(suspended: boolean): void
  /** Retries after an error. */
  retry(): void
  close(): void
}

export interface PlayerEvents {
  /** Called when the link is refused, when the browser cannot play the stream, or after an unrecoverable error. */
  onError: (error: PlayerError) => void
  /** Called when the renditions are known. */
  onRenditions: () => void
}

export type PlayerError = 'expired' | 'unplayable' | 'broken'

/** Opens a stream in a video element at a position, with one kind of player. */
export type OpenPlayer = (
  video: HTMLVideoElement,
  source: Source,
  startSeconds: number,
  events: PlayerEvents,
) => Player
