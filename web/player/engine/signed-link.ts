/** Signed links look like `/media/{signature}/{asset}/…` (security.md, "Media"); all of one asset share a signature. */
const shape = /\/media\/([^/]+)\/([^/]+)\//

/**
 * The address with the signature of a fresher link to the same asset; any other address as it is. One of a store
 * (`…/media/{asset}/{file}?…`), signed for the old signature, becomes the site's, which leads to the store again.
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

/** Whether both links lead to the same asset. */
export function sameAsset(one: string, other: string): boolean {
  return shape.exec(one)?.[2] === shape.exec(other)?.[2]
}
