/** Image formats that are accepted for uploads, with their magic bytes. */
const magicBytes = [
  { kind: 'jpeg', at: 0, bytes: Buffer.from([0xff, 0xd8, 0xff]) },
  { kind: 'png', at: 0, bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
  { kind: 'webp', at: 8, bytes: Buffer.from('WEBP') },
  { kind: 'avif', at: 4, bytes: Buffer.from('ftypavif') },
] as const

/**
 * Detects an image's format by its content, whatever its name: JPEG, PNG, WebP or AVIF. Returns undefined for other
 * formats, even if the image library can read them: SVG and PDF can run code and load external resources.
 */
export function detectImageFormat(file: Buffer): (typeof magicBytes)[number]['kind'] | undefined {
  return magicBytes.find(({ at, bytes }) => file.subarray(at, at + bytes.length).equals(bytes))?.kind
}
