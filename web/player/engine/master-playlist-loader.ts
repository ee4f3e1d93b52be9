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
 * Loads playlists. Replaces the master playlist that every player can play with the one that has an extra codec, if this browser
 * supports it.
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
        // Renditions that every player can play are loaded already.
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
