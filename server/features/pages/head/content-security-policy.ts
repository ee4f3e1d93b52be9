import type { DocumentName } from '#server/features/pages/documents.ts'

/** Hosts of others that a document may turn to. */
export interface ForeignHosts {
  script: readonly string[]
  /** Told by a request or by a picture. */
  told: readonly string[]
  /** Asked by a request alone. */
  connect?: readonly string[]
  frame?: readonly string[]
  /** Where videos and their pictures come from. */
  media?: readonly string[]
}

const nobody: ForeignHosts = { script: [], told: [] }

/**
 * The policy of a document (security.md, "Headers"). Media come as blobs from hls.js, and nothing of ours may be framed by
 * another site. The foreign hosts of the `index` document are those of pixels and reports, those of the payment form the
 * gateways' alone.
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
