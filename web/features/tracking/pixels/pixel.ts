import type { TrackedEvent } from '#web/lib/tracking/track.ts'

/** One platform's pixel, loaded. */
export interface Pixel {
  send(event: TrackedEvent): void
}

export interface PixelKind {
  /** The platform's name, as the person is told it. */
  name: string
  /** Loads the platform's script for this id. Only to be called once the person has agreed. */
  load(id: string): Pixel
  /** How the names of the cookies begin that its script leaves on our site. */
  cookies: string[]
}

/** Puts a platform's script into the document; the policy lets only those of configured pixels through. */
export function loadScript(address: string): void {
  const script = document.createElement('script')
  script.async = true
  script.src = address
  document.head.append(script)
}

/** An amount as the platforms want it: in whole units, beside its currency. */
export function valueOf({ cents, currency }: TrackedEvent): { value?: number; currency?: string } {
  return cents === undefined || currency === undefined ? {} : { value: cents / 100, currency }
}
