/** What is played: one HLS stream behind a link that expires. */
export interface Source {
  hls_url: string
  expires_at: string
  poster_url: string
  encrypted: boolean
}

/** What fetches and decodes: hls.js, or the browser itself. */
export interface Player {
  /** The shorter sides of the renditions, lowest first; empty until known, or if the browser chooses automatically. */
  renditions(): number[]
  /** The wanted rendition by its shorter side, or null for automatic choice. */
  choose(side: number | null): void
  /** Goes on with a fresh link, at the same second. */
  renew(source: Source): void
  /** The stream on screen fills its buffer; one that waits holds a few seconds only. */
  setActive(active: boolean): void
  /** Fetches nothing while it rests, if the player supports that. */
  rest(resting: boolean): void
  /** Tries again after a failure. */
  retry(): void
  close(): void
}

export interface PlayerEvents {
  /** Called when the link is refused, when the browser cannot play such a stream, or when it has stopped for good. */
  onTrouble: (trouble: Trouble) => void
  /** Called when the renditions are known. */
  onRenditions: () => void
}

export type Trouble = 'expired' | 'unplayable' | 'broken'

/** A player of one kind, at work in this element from this second on. */
export type OpenPlayer = (
  video: HTMLVideoElement,
  source: Source,
  startSeconds: number,
  events: PlayerEvents,
) => Player
