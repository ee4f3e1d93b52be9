/** A request as njs shows it, as far as it is looked at. */
interface NginxRequest {
  variables: { media_signature: string; media_asset: string }
}

declare const signedUrls: { secondsLeft(request: NginxRequest): string }
export default signedUrls
