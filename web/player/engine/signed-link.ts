/** Signed URLs have the form `/media/{signature}/{asset}/…`; all files of an asset share a signature. */
const shape = /\/media\/([^/]+)\/([^/]+)\//

/**
 * Returns the URL with the signature of a fresher link to the same asset; any other URL unchanged. A bucket's URL
 * (`…/media/{asset}/{file}?…`), signed for the old signature, becomes the site's, which redirects to the bucket again.
 */
export function withFreshSignature(url: string, fresh: string): string {
  return throughSite(url, fresh) ?? exchangeSignature(url, fresh)
}

function throughSite(url: string, fresh: string): string | undefined {
  const [link, , asset] = shape.exec(fresh) ?? []
  const [, file] = url.split('?')[0]?.split(`/media/${asset}/`) ?? []
  return link === undefined || file === undefined ? undefined : link + file
}

function exchangeSignature(url: string, fresh: string): string {
  const old = shape.exec(url)
  const renewed = shape.exec(fresh)
  if (!old || !renewed || old[2] !== renewed[2]) return url
  return url.replace(shape, renewed[0])
}

/** Returns whether both links belong to the same asset. */
export function sameAsset(one: string, other: string): boolean {
  return shape.exec(one)?.[2] === shape.exec(other)?.[2]
}
