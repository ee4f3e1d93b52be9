/** Hosts of others that a document may turn to. */
export interface ForeignHosts {
  script: string[]
  /** Told by a request or by a picture. */
  told: string[]
}

const nobody: ForeignHosts = { script: [], told: [] }

/**
 * The policy of a document (security.md, "Headers"). Media come as blobs from hls.js; the payment form may frame only
 * the gateway's own documents, and nothing else of ours may be framed by another site. Only the `index` document knows
 * foreign hosts: the payment form turns to nobody.
 */
export function contentSecurityPolicy(
  document: 'index' | 'order',
  nonce: string,
  foreign: ForeignHosts = nobody,
): string {
  const player = document === 'index' ? ["media-src 'self' blob:", "worker-src 'self' blob:"] : []
  const { script, told } = document === 'index' ? foreign : nobody
  return [
    "default-src 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'self'",
    "form-action 'self'",
    ['script-src', "'self'", `'nonce-${nonce}'`, ...script].join(' '),
    "style-src 'self' 'unsafe-inline'",
    ['img-src', "'self'", 'data:', ...told].join(' '),
    "font-src 'self'",
    ['connect-src', "'self'", ...told].join(' '),
    "frame-src 'self'",
    "manifest-src 'self'",
    ...player,
  ].join('; ')
}
