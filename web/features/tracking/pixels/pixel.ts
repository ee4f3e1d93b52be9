import type { TrackedEvent } from '#web/lib/tracking/track.ts'

/** A loaded pixel of one platform. */
export interface Pixel {
  send(event: TrackedEvent): void
}

export interface PixelKind {
  /** The platform's name, as shown to the user. */
  name: string
  /** Loads the platform's script for this pixel id. Must be called only after consent. */
  load(id: string): Pixel
  /** Prefixes of the cookies that the platform's script may set on this site. */
  cookies: string[]
}

/**
 * Adds a platform's script to the document. The Content Security Policy allows only the scripts of configured pixels.
 */
export function loadScript(address: string): void {
  const script = document.createElement('script')
  script.async = true
  script.src = address
  document.head.append(script)
}

/** Returns an event's amount in the platforms' format: in currency units instead of cents. */
export function valueOf({ cents, currency }: TrackedEvent): { value?: number; currency?: string } {
  return cents === undefined || currency === undefined ? {} : { value: cents / 100, currency }
}
