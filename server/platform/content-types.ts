/** Media types of served files. Browsers accept HLS and WebVTT only with these types (RFC 8216, section 4; WebVTT). */
const types: Record<string, string> = {
  m3u8: 'application/vnd.apple.mpegurl',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  vtt: 'text/vtt; charset=utf-8',
  webp: 'image/webp',
  jpg: 'image/jpeg',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** Returns the media type of a file by its extension, if it is a known one. */
export function contentTypeOf(path: string): string | undefined {
  return types[path.slice(path.lastIndexOf('.') + 1)]
}
