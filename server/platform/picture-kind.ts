/** The kinds of pictures that are taken from people, each with how its files begin. */
const beginnings = [
  { kind: 'jpeg', at: 0, bytes: Buffer.from([0xff, 0xd8, 0xff]) },
  { kind: 'png', at: 0, bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') },
  { kind: 'webp', at: 8, bytes: Buffer.from('WEBP') },
  { kind: 'avif', at: 4, bytes: Buffer.from('ftypavif') },
] as const

/**
 * What a picture is by its content, whatever it is called: JPEG, PNG, WebP or AVIF. Undefined for all else, also for what the
 * library could read: drawings and documents are programs of a kind, and bring along what they show from elsewhere.
 */
export function pictureKindOf(file: Buffer): (typeof beginnings)[number]['kind'] | undefined {
  return beginnings.find(({ at, bytes }) => file.subarray(at, at + bytes.length).equals(bytes))?.kind
}
