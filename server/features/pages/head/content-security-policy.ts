import type { DocumentName } from '#server/features/pages/html-documents.ts'

/** Hosts of third parties that a document may connect to. */
export interface ThirdPartyHosts {
  script: readonly string[]
  /** Hosts that receive data by fetch or by an image request. */
  beacon: readonly string[]
  /** Hosts that receive data only by fetch. */
  connect?: readonly string[]
  frame?: readonly string[]
  /** Hosts of videos and of their images. */
  media?: readonly string[]
}

const noHosts: ThirdPartyHosts = { script: [], beacon: [] }

/**
 * Returns the Content-Security-Policy of a document. The player needs `blob:` for hls.js. Other sites may not frame the
 * site's pages. `thirdPartyHosts` differs by document (see `createDocumentSender`).
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
