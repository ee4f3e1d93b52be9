/**
 * The policy of a document (security.md, "Headers"). Media come as blobs from hls.js; the payment form may frame only
 * the gateway's own documents, and nothing else of ours may be framed by another site.
 */
export function contentSecurityPolicy(document: 'index' | 'order', nonce: string): string {
  const player = document === 'index' ? ["media-src 'self' blob:", "worker-src 'self' blob:"] : []
  return [
    "default-src 'none'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'self'",
    "form-action 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "manifest-src 'self'",
    ...player,
  ].join('; ')
}
