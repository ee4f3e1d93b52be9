import type { trackingKeys } from '#contract/tracking.ts'
import type { ThirdPartyHosts } from './head/content-security-policy.ts'

type TrackingKey = (typeof trackingKeys)[number]

/** The hosts of each pixel's script and requests, as its vendor documents them for a Content-Security-Policy. */
const pixelHosts: Record<TrackingKey, ThirdPartyHosts> = {
  facebook_pixel_id: {
    script: ['https://connect.facebook.net'],
    beacon: ['https://www.facebook.com', 'https://connect.facebook.net'],
  },
  google_analytics: {
    script: ['https://www.googletagmanager.com'],
    beacon: [
      'https://*.google-analytics.com',
      'https://*.analytics.google.com',
      'https://www.googletagmanager.com',
    ],
  },
  tiktok_pixel: {
    script: ['https://analytics.tiktok.com'],
    beacon: ['https://analytics.tiktok.com'],
  },
  bigo_pixel: {
    script: ['https://api.imotech.video'],
    beacon: ['https://api.imotech.video', 'https://api.bytegle.site'],
  },
}

/** Returns the hosts of the configured pixels. */
export function hostsOfPixels(pixels: Partial<Record<TrackingKey, string | undefined>>): ThirdPartyHosts {
  const hosts = Object.entries(pixelHosts)
    // `Object.entries` loses the key type; every key of `pixelHosts` is a TrackingKey.
    .filter(([key]) => pixels[key as TrackingKey])
    .map(([, host]) => host)
  return { script: hosts.flatMap(({ script }) => script), beacon: hosts.flatMap(({ beacon }) => beacon) }
}
