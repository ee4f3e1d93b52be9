/** A request as njs shows it, as far as it is looked at. */
interface NginxRequest {
  variables: { media_pass: string; media_asset: string }
}

declare const mediaPasses: { secondsLeft(request: NginxRequest): string }
export default mediaPasses
