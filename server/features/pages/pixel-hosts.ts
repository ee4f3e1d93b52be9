import type { trackingKeys } from '#contract/tracking.ts'
import type { ForeignHosts } from './head/content-security-policy.ts'

type TrackingKey = (typeof trackingKeys)[number]

/** The hosts of each pixel's script and requests, as its vendor documents them for a content security policy. */
const pixelHosts: Record<TrackingKey, ForeignHosts> = {
  facebook_pixel_id: {
    script: ['https://connect.facebook.net'],
    told: ['https://www.facebook.com', 'https://connect.facebook.net'],
  },
  google_analytics: {
    script: ['https://www.googletagmanager.com'],
    told: [
      'https://*.google-analytics.com',
      'https://*.analytics.google.com',
      'https://www.googletagmanager.com',
    ],
  },
  tiktok_pixel: {
    script: ['https://analytics.tiktok.com'],
    told: ['https://analytics.tiktok.com'],
  },
  bigo_pixel: {
    script: ['https://api.imotech.video'],
    told: ['https://api.imotech.video', 'https://api.bytegle.site'],
  },
}

/** Returns the hosts of the pixels that are configured. */
export function hostsOf(pixels: Partial<Record<TrackingKey, string | undefined>>): ForeignHosts {
  const hosts = Object.entries(pixelHosts)
    // The table's keys are the settings' keys.
    .filter(([key]) => pixels[key as TrackingKey])
    .map(([, host]) => host)
  return { script: hosts.flatMap(({ script }) => script), told: hosts.flatMap(({ told }) => told) }
}
