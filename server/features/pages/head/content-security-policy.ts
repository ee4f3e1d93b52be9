import type { DocumentName } from '#server/features/pages/documents.ts'

/** The foreign hosts that a document may contact. */
export interface ForeignHosts {
  script: readonly string[]
  /** Contacted by requests or pictures. */
  told: readonly string[]
  /** Contacted by requests only. */
  connect?: readonly string[]
  frame?: readonly string[]
  /** Serve videos and their pictures. */
  media?: readonly string[]
}

const nobody: ForeignHosts = { script: [], told: [] }

/**
 * The policy of a document (security.md, "Headers"). hls.js plays media from blobs. No other site may frame a page. The `index`
 * document may contact the hosts of pixels and error reports, the payment form only those of the gateways.
 */
export function contentSecurityPolicy(
  document: DocumentName,
  nonce: string,
  foreign: ForeignHosts = nobody,
): string {
  const { script, told, connect = [], frame = [], media = [] } = foreign
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
    ['img-src', "'self'", 'data:', ...told, ...media].join(' '),
    "font-src 'self'",
    ['connect-src', "'self'", ...told, ...connect, ...media].join(' '),
    ['frame-src', "'self'", ...frame].join(' '),
    "manifest-src 'self'",
    ...player,
  ].join('; ')
}
