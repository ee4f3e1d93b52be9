import type { trackingKeys } from '#contract/tracking.ts'
import type { TrackedEvent } from '#web/lib/tracking/track.ts'
import { bigo } from './bigo.ts'
import { google } from './google.ts'
import { meta } from './meta.ts'
import type { Pixel, PixelKind } from './pixel.ts'
import { tiktok } from './tiktok.ts'

type TrackingKey = (typeof trackingKeys)[number]

const kinds: Record<TrackingKey, PixelKind> = {
  facebook_pixel_id: meta,
  google_analytics: google,
  tiktok_pixel: tiktok,
  bigo_pixel: bigo,
}

/** A pixel that the operator has configured. */
export interface ConfiguredPixel {
  kind: PixelKind
  id: string
}

/** Returns the pixels that are configured in the settings. */
export function readConfiguredPixels(
  list: readonly { config_key: TrackingKey; config_value: string }[],
): ConfiguredPixel[] {
  return list
    .filter(({ config_value }) => config_value !== '')
    .map(({ config_key, config_value }) => ({ kind: kinds[config_key], id: config_value }))
}

let loaded: Pixel[] | null = null

export const arePixelsLoaded = (): boolean => loaded !== null

/** Sends an event to every pixel; the first event loads the pixels. Must be called only after consent. */
export function sendToPixels(pixels: readonly ConfiguredPixel[], event: TrackedEvent): void {
  loaded ??= pixels.map(({ kind, id }) => kind.load(id))
  for (const pixel of loaded) pixel.send(event)
}

/** Removes the pixels' cookies from this site after consent was withdrawn. */
export function removePixelCookies(pixels: readonly ConfiguredPixel[]): void {
  const prefixes = pixels.flatMap(({ kind }) => kind.cookies)
  const names = document.cookie.split('; ').map((cookie) => cookie.split('=')[0] ?? '')
  const pixelCookies = names.filter((name) => prefixes.some((beginning) => name.startsWith(beginning)))
  for (const name of pixelCookies)
    for (const domain of domainsOf(location.hostname))
      document.cookie = `${name}=; path=/; max-age=0${domain && `; domain=${domain}`}`
}

/**
 * Returns the host and all its parent domains: a script may have set a cookie for any of them. The empty string stands
 * for a cookie without a domain.
 */
function domainsOf(host: string): string[] {
  const parts = host.split('.')
  return ['', ...parts.map((_, i) => parts.slice(i).join('.'))]
}
