/** The parts of an njs request that the check of a signed URL uses. */
interface NginxRequest {
  variables: { media_signature: string; media_asset: string }
}

declare const signedUrls: { secondsLeft(request: NginxRequest): string }
export default signedUrls
