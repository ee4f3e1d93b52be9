/** The source of a player: an HLS stream with a signed URL that expires. */
export interface Source {
  hls_url: string
  expires_at: string
  poster_url: string
  encrypted: boolean
}

/** The component that fetches and decodes: hls.js or the browser's native player. */
export interface Player {
  /** The shorter sides of the renditions, lowest first; empty until known, or if the browser chooses automatically. */
  renditions(): number[]
  /** Chooses a rendition by its shorter side, or automatically with null. */
  chooseRendition(side: number | null): void
  /** Continues at the same position with a fresh link. */
  renew(source: Source): void
  /** Sets whether the stream is on screen and fills its buffer. A stream that is not on screen buffers only a few seconds. */
  setActive(active: boolean): void
  /** Stops or resumes fetching, if the player supports that. */
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

/** Opens a player of one kind in an element at a position. */
export type OpenPlayer = (
  video: HTMLVideoElement,
  source: Source,
  startSeconds: number,
  events: PlayerEvents,
) => Player
