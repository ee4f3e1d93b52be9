import type { DocumentName } from '#server/features/pages/html-documents.ts'

/** Foreign hosts that a document may connect to. */
export interface ThirdPartyHosts {
  script: readonly string[]
  /** Hosts that receive data by a request or an image. */
  beacon: readonly string[]
  /** Hosts that receive requests only. */
  connect?: readonly string[]
  frame?: readonly string[]
  /** Hosts of videos and their images. */
  media?: readonly string[]
}

const noHosts: ThirdPartyHosts = { script: [], beacon: [] }

/**
 * Returns the Content-Security-Policy of a document. hls.js plays media from blobs, and no other site may frame our pages. The
 * `index` document allows the hosts of pixels and error reports; the payment form allows those of the gateways only.
 */
export function contentSecurityPolicy(
  document: DocumentName,
  nonce: string,
  thirdPartyHosts: ThirdPartyHosts = noHosts,
): string {
  const { script, beacon, connect = [], frame = [], media = [] } = thirdPartyHosts
  const player =
    document !== 'order' ? [["media-src 'self' blob:", ...media].join(' '), "worker-src 'self' blob:"] : []
  return [
    "default-src 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'self'",
    "form-action 'self'",
    ['script-src', "'self'", `'nonce-${nonce}'`, ...script].join(' '),
    "style-src 'self' 'unsafe-inline'",
    ['img-src', "'self'", 'data:', ...beacon, ...media].join(' '),
    "font-src 'self'",
    ['connect-src', "'self'", ...beacon, ...connect, ...media].join(' '),
    ['frame-src', "'self'", ...frame].join(' '),
    "manifest-src 'self'",
    ...player,
  ].join('; ')
}
