/** The parts of a signed media URL: `/media/{expires}.{subject}.{mac}/{asset}/{file}`. */
export interface MediaLink {
  expires: string
  subject: string
  mac: string
  asset: string
}

/** Parses a signed media URL. Ignores the file. */
export function parseMediaLink(url: string): MediaLink {
  const [, , signature = '', asset = ''] = url.split('/')
  const [expires = '', subject = '', mac = ''] = signature.split('.')
  return { expires, subject, mac, asset }
}

/** Builds the URL of an asset's file from these parts. */
export function formatMediaLink({ expires, subject, mac, asset }: MediaLink, file: string): string {
  return `/media/${expires}.${subject}.${mac}/${asset}/${file}`
}

/**
 * Returns variants of a signed URL with changed parts. Their signatures are invalid, because they are made without the
 * secret.
 */
export function tamperedLinks(link: MediaLink): MediaLink[] {
  const first = link.mac.startsWith('A') ? 'B' : 'A'
  return [
    { ...link, mac: first + link.mac.slice(1) },
    { ...link, mac: link.mac.slice(0, -1) },
    { ...link, mac: `${link.mac}.${link.mac}` },
    { ...link, mac: '' },
    { ...link, expires: String(Number(link.expires) + 3600) },
    { ...link, expires: `0${link.expires}` },
  ]
}
