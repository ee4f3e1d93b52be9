/** Signed URLs have the form `/media/{signature}/{asset}/…`; all files of an asset share a signature. */
const signedUrlPattern = /\/media\/([^/]+)\/([^/]+)\//

/**
 * Returns the URL with the signature of a fresh link to the same asset; URLs of other assets are unchanged. A URL of
 * the bucket (`…/media/{asset}/{file}?…`), to which the site had redirected, becomes the site's URL again, because its
 * own signature expires too.
 */
export function withFreshSignature(url: string, fresh: string): string {
  return bucketToSiteUrl(url, fresh) ?? replaceSignature(url, fresh)
}

function bucketToSiteUrl(url: string, fresh: string): string | undefined {
  const [prefix, , asset] = signedUrlPattern.exec(fresh) ?? []
  const [, file] = url.split('?')[0]?.split(`/media/${asset}/`) ?? []
  return prefix === undefined || file === undefined ? undefined : prefix + file
}

function replaceSignature(url: string, fresh: string): string {
  const old = signedUrlPattern.exec(url)
  const renewed = signedUrlPattern.exec(fresh)
  if (!old || !renewed || old[2] !== renewed[2]) return url
  return url.replace(signedUrlPattern, renewed[0])
}

/** Returns whether both links belong to the same asset. */
export function isSameAsset(one: string, other: string): boolean {
  return signedUrlPattern.exec(one)?.[2] === signedUrlPattern.exec(other)?.[2]
}
