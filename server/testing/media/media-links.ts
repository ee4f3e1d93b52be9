/** The parts of a link to a file of an asset: `/media/{expires}.{subject}.{mac}/{asset}/{file}`. */
export interface MediaLink {
  expires: string
  subject: string
  mac: string
  asset: string
}

/** Takes a link apart; its file does not matter. */
export function readLink(url: string): MediaLink {
  const [, , pass = '', asset = ''] = url.split('/')
  const [expires = '', subject = '', mac = ''] = pass.split('.')
  return { expires, subject, mac, asset }
}

/** The link to a file of the asset, with whatever was put into its parts. */
export function writeLink({ expires, subject, mac, asset }: MediaLink, file: string): string {
  return `/media/${expires}.${subject}.${mac}/${asset}/${file}`
}

/** A link as somebody might alter it who knows no secret. */
export function alterations(link: MediaLink): MediaLink[] {
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
