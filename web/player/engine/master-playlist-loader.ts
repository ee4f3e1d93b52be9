import Hls, {
  type HlsConfig,
  type Loader,
  type LoaderCallbacks,
  type LoaderConfiguration,
  type LoaderContext,
  type LoaderResponse,
} from 'hls.js'

const Base = Hls.DefaultConfig.loader

/**
 * Loads playlists. The master playlist contains only renditions that every browser can play, and may name an extra
 * codec. If this browser supports that codec, loads the playlist with the extra codec instead.
 */
export class MasterPlaylistLoader extends Base {
  private readonly config: HlsConfig
  private extraCodecLoader: Loader<LoaderContext> | undefined

  constructor(config: HlsConfig) {
    super(config)
    this.config = config
  }

  override load(
    context: LoaderContext,
    config: LoaderConfiguration,
    callbacks: LoaderCallbacks<LoaderContext>,
  ): void {
    super.load(context, config, {
      ...callbacks,
      onSuccess: (response, ...rest) => {
        const extraCodecUrl = extraCodecPlaylistUrl(response)
        if (extraCodecUrl === undefined) return callbacks.onSuccess(response, ...rest)
        this.extraCodecLoader = new Base(this.config)
        // The playlist for every browser has already loaded. It is used if the playlist with the extra codec fails to
        // load.
        const fallBack = () => callbacks.onSuccess(response, ...rest)
        this.extraCodecLoader.load({ ...context, url: extraCodecUrl }, config, {
          ...callbacks,
          onError: fallBack,
          onTimeout: fallBack,
        })
      },
    })
  }

  override abort(): void {
    super.abort()
    this.extraCodecLoader?.abort()
  }

  override destroy(): void {
    super.destroy()
    this.extraCodecLoader?.destroy()
  }
}

function extraCodecPlaylistUrl({ url, data }: LoaderResponse): string | undefined {
  const [, codec] =
    (typeof data === 'string' && /#EXT-X-SESSION-DATA:DATA-ID="extra\.codec",VALUE="([^"]+)"/.exec(data)) ||
    []
  const isSupported = codec && Hls.getMediaSource()?.isTypeSupported(`video/mp4; codecs="${codec}"`)
  return isSupported ? url.replace('/master.m3u8', '/extra.m3u8') : undefined
}
