import Hls, { type ErrorData, type GapController, type HlsConfig } from 'hls.js'
import { expectedBandwidth, storeBandwidth } from './bandwidth.ts'
import { BufferLimit } from './buffer-limit.ts'
import { whenIdle } from '#web/lib/when-idle.ts'
import { trackPosition, type TrackedPosition } from './track-position.ts'
import { ErrorPolicy } from './error-policy.ts'
import { isSameAsset, withFreshSignature } from './replace-signature.ts'
import { MasterPlaylistLoader } from './master-playlist-loader.ts'
import { play } from './play.ts'
import { highestPreloadLevel, preloadSeconds } from './preload-policy.ts'
import { SegmentLoader, startSegmentWorker } from './segment-loader.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer, Player, PlayerEvents, Source } from './player.ts'
import { detectStall } from './stall-detector.ts'

const activeBufferSeconds = 30
/** Interval of the check for gaps in the buffer: hls.js would check every 100 ms, even while the video is paused. */
const gapCheckMs = 250
/** Maximum delay until a stream on screen resumes loading. Viewers do not notice it: the first seconds are buffered. */
const resumeWithinMs = 500
/** A stall of this length is an error; hls.js would retry forever. */
const stallTimeoutMs = 10_000

/** Opens a stream with hls.js. */
export const openHlsPlayer: OpenPlayer = (...args) => new HlsPlayer(...args)

/**
 * Plays through hls.js: chooses renditions, limits the buffer, replaces expiring links without interruption and
 * classifies errors.
 */
class HlsPlayer implements Player {
  private readonly video: HTMLVideoElement
  private readonly events: PlayerEvents
  private readonly initialSource: Source
  private source: Source
  private readonly hls: Hls
  private readonly position: TrackedPosition
  private readonly bufferLimit: BufferLimit
  private readonly errorPolicy = new ErrorPolicy()
  private readonly listening = new AbortController()
  private readonly expectedBandwidth = expectedBandwidth()
  private gapController: GapController | undefined
  private isActive = false
  private isSuspended = false
  /** The shorter side of the rendition that the viewer chose, or null for automatic choice. */
  private chosenSide: number | null = null
  private pendingFailure: AbortController | undefined

  constructor(...[video, source, startSeconds, events]: Parameters<OpenPlayer>) {
    this.video = video
    this.events = events
    this.initialSource = source
    this.source = source
    this.position = trackPosition(video, startSeconds, this.listening.signal)
    this.hls = new Hls(this.configure(startSeconds))
    this.bufferLimit = new BufferLimit(this.hls, video)
    this.listen()
    this.hls.loadSource(source.hls_url)
    this.hls.attachMedia(video)
    // Started when idle, because the first segments are loaded without the worker.
    whenIdle(startSegmentWorker)
  }

  renditions(): number[] {
    return [...new Set(this.hls.levels.map(shortSide))].filter(Boolean)
  }

  chooseRendition(side: number | null): void {
    // If the same rendition were set again, hls.js would drop its buffer.
    if (side === this.chosenSide) return
    this.chosenSide = side
    if (this.hls.levels.length === 0) return
    this.resumeLoadingIfPaused()
    this.hls.nextLevel = side === null ? -1 : levelIndexFor(this.hls, side)
  }

  renew(fresh: Source): void {
    const isSame = isSameAsset(this.source.hls_url, fresh.hls_url)
    this.source = fresh
    if (!isSame) this.retry()
    else if (!this.bufferLimit.isPaused) this.resumeLoading()
  }

  setActive(active: boolean): void {
    const { hls, gapController, bufferLimit, listening } = this
    this.isActive = active
    hls.config.maxBufferLength = active ? activeBufferSeconds : preloadSeconds
    if (active) gapController?.setInterval(gapCheckMs)
    else gapController?.clearInterval()
    if (!active) return bufferLimit.pauseIfFull()
    // Deferred, because the main thread is busy while the episode on screen changes.
    if (bufferLimit.isPaused)
      whenIdle(() => this.isActive && !listening.signal.aborted && this.fillBuffer(), resumeWithinMs)
    else this.fillBuffer()
  }

  setSuspended(suspended: boolean): void {
    // If loading were started twice, hls.js would drop the requests in progress.
    if (suspended === this.isSuspended) return
    this.isSuspended = suspended
    if (suspended) this.hls.stopLoad()
    else if (!this.bufferLimit.isPaused) this.resumeLoading()
  }

  /** Loads the playlist again, with the current link and at the current position. */
  retry(): void {
    this.pendingFailure?.abort()
    this.pendingFailure = undefined
    this.errorPolicy.reset()
    this.bufferLimit.isPaused = false
    this.hls.config.startPosition = this.position.seconds
    this.hls.loadSource(this.source.hls_url)
  }

  close(): void {
    const { hls, listening, pendingFailure } = this
    listening.abort()
    pendingFailure?.abort()
    // Stores only a measured bandwidth. Without a measurement, hls.js still has the expected bandwidth as its estimate.
    if (hls.bandwidthEstimate !== this.expectedBandwidth) storeBandwidth(hls.bandwidthEstimate)
    hls.destroy()
  }

  private configure(startSeconds: number): Partial<HlsConfig> {
    const withCurrentSignature = (url: string) =>
      this.source === this.initialSource ? url : withFreshSignature(url, this.source.hls_url)
    return {
      startPosition: startSeconds,
      // Segments are fMP4 already, so the transmuxing worker of hls.js is not worth its startup time.
      enableWorker: false,
      maxBufferLength: preloadSeconds,
      maxMaxBufferLength: activeBufferSeconds,
      // Only the length in seconds limits the buffer. For hls.js a size in bytes is a minimum, so a stream that is not
      // on screen would load that many bytes.
      maxBufferSize: 0,
      backBufferLength: 30,
      abrEwmaDefaultEstimate: this.expectedBandwidth,
      loader: MasterPlaylistLoader,
      fLoader: class extends SegmentLoader {
        constructor(config: HlsConfig) {
          super(config, withCurrentSignature)
        }
      },
      ...limitGapChecks(
        () => this.isActive,
        (controller) => (this.gapController = controller),
      ),
      xhrSetup: (xhr, url) => xhr.open('GET', withCurrentSignature(url), true),
    }
  }

  private listen(): void {
    const { hls, video, bufferLimit, position } = this
    const { signal } = this.listening
    hls.on(Hls.Events.MANIFEST_PARSED, () => this.limitRenditions())
    // The element is paused whenever hls.js attaches to it: for a new source, and in `recoverMediaError`.
    hls.on(Hls.Events.MEDIA_ATTACHED, () => position.isPlaying && void play(video))
    hls.on(Hls.Events.ERROR, (_event, data) => this.handleError(data))
    video.addEventListener('timeupdate', () => this.resumeLoadingIfLow(), { signal })
    video.addEventListener('seeking', () => this.isActive && this.resumeLoadingIfPaused(), { signal })
    // hls.js would retry by itself, but later.
    addEventListener('online', () => !this.isSuspended && !bufferLimit.isPaused && this.resumeLoading(), {
      signal,
    })
    const stopStallDetection = detectStall(
      video,
      stallTimeoutMs,
      () => this.fail('broken'),
      () => downloadProgress(hls),
    )
    signal.addEventListener('abort', stopStallDetection)
  }

  private limitRenditions(): void {
    const { hls, chosenSide } = this
    if (!hls.capLevelToPlayerSize) hls.autoLevelCapping = highestPreloadLevel(hls)
    // Set before the first segment loads, because a paused video shows no frame of a rendition that is chosen later.
    if (chosenSide !== null) hls.loadLevel = levelIndexFor(hls, chosenSide)
    this.events.onRenditions()
  }

  private handleError(data: ErrorData): void {
    const { hls, position } = this
    const action = this.errorPolicy.decide(data, this.video.currentTime, this.source.hls_url)
    if (action === 'ignore') return
    if (action === 'expired') this.events.onError('expired')
    else if (action === 'load again') this.resumeLoading()
    else if (action !== 'recover') this.fail(action)
    else {
      this.bufferLimit.isPaused = false
      hls.config.startPosition = position.seconds
      hls.recoverMediaError()
    }
  }

  /** Reports an error; a `broken` stream plays its buffered part first. */
  private fail(reason: 'unplayable' | 'broken'): void {
    const { video, events } = this
    this.hls.stopLoad()
    this.pendingFailure = new AbortController()
    const { signal } = this.pendingFailure
    const canStillPlay = reason === 'broken' && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA
    if (!canStillPlay) events.onError(reason)
    else video.addEventListener('waiting', () => events.onError(reason), { once: true, signal })
  }

  /**
   * Resumes loading at the current position. Reloads the playlist if the stream has failed or its renditions never
   * loaded.
   */
  private resumeLoading(): void {
    this.bufferLimit.isPaused = false
    if (this.pendingFailure || this.hls.levels.length === 0) this.retry()
    else this.hls.startLoad(this.position.seconds)
  }

  private resumeLoadingIfPaused(): void {
    if (!this.bufferLimit.isPaused) return
    this.bufferLimit.isPaused = false
    if (!this.isSuspended) this.resumeLoading()
  }

  private resumeLoadingIfLow(): void {
    if (this.isActive && this.bufferLimit.isLow()) this.resumeLoadingIfPaused()
  }

  private fillBuffer(): void {
    const { hls } = this
    this.resumeLoadingIfLow()
    if (hls.capLevelToPlayerSize) return
    // From now on the video's size on screen limits the rendition. The limit is never removed, because hls.js would
    // then reload its buffer.
    hls.autoLevelCapping = -1
    hls.capLevelToPlayerSize = true
  }
}

/**
 * Makes hls.js check for gaps less often, and only while the stream is on screen. `onCreated` receives the gap
 * controller.
 */
function limitGapChecks(
  isActive: () => boolean,
  onCreated: (controller: GapController) => void,
): Partial<HlsConfig> {
  const DefaultGapController = Hls.DefaultConfig.gapController
  if (!DefaultGapController) return {}
  return {
    gapController: class extends DefaultGapController {
      constructor(...args: ConstructorParameters<typeof GapController>) {
        super(...args)
        onCreated(this)
      }
      override setInterval() {
        return isActive() && super.setInterval(gapCheckMs)
      }
    },
  }
}

/** Returns the index of the rendition with this shorter side, else of the next lower rendition, else of the lowest. */
function levelIndexFor({ levels }: Hls, side: number): number {
  return Math.max(
    0,
    levels.findLastIndex((level) => shortSide(level) <= side),
  )
}

function downloadProgress({ inFlightFragments }: Hls): string {
  return Object.values(inFlightFragments)
    .map((flight) => `${flight?.frag?.sn} ${flight?.frag?.stats.loaded}`)
    .join(' ')
}
