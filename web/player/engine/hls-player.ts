import Hls, { type GapController, type HlsConfig } from 'hls.js'
import { expectedBandwidth, storeBandwidth } from './bandwidth.ts'
import { whenIdle } from '#web/lib/when-idle.ts'
import { trackPosition } from './track-position.ts'
import { ErrorPolicy } from './error-policy.ts'
import { isSameAsset, withFreshSignature } from './replace-signature.ts'
import { MasterPlaylistLoader } from './master-playlist-loader.ts'
import { play } from './play.ts'
import { highestPreloadLevel, preloadSeconds } from './preload-policy.ts'
import { SegmentLoader, startSegmentWorker } from './segment-loader.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer } from './player.ts'
import { detectStall } from './stall-detector.ts'

const activeBufferSeconds = 30
/** A full buffer is refilled only after it has fallen to this length. */
const refillBelowSeconds = 20
/** Interval of the check for gaps in the buffer: hls.js would check every 100 ms, even while the video is paused. */
const gapCheckMs = 250
/** Tolerance when the buffer's length is compared: hls.js measures it differently, by up to a few frames. */
const toleranceSeconds = 0.25
/** Maximum delay until a stream resumes loading after it came on screen. Its first seconds are already buffered. */
const resumeWithinMs = 500
/** A stall of this length is an error; hls.js would retry forever. */
const stallTimeoutMs = 10_000

/**
 * Plays through hls.js: chooses renditions, limits the buffer, replaces expiring links without interruption and
 * classifies errors.
 */
export const openHlsPlayer: OpenPlayer = (video, initialSource, startSeconds, { onError, onRenditions }) => {
  let source = initialSource
  let isActive = false
  let isSuspended = false
  /** The shorter side of the rendition that the viewer chose, or null for automatic choice. */
  let chosenSide: number | null = null
  /**
   * True while loading is paused because the buffer is full. Otherwise hls.js would check ten times a second for
   * something to load.
   */
  let isLoadingPaused = false
  /**
   * The position in seconds at which loading resumes. Computed once per pause, because reading the buffered ranges is
   * expensive.
   */
  let resumeAtSeconds = Infinity
  let gapController: GapController | undefined
  let pendingFailure: AbortController | undefined
  const listening = new AbortController()
  const { signal } = listening
  const position = trackPosition(video, startSeconds, signal)
  const expected = expectedBandwidth()
  const errorPolicy = new ErrorPolicy()
  const withCurrentSignature = (url: string) =>
    source === initialSource ? url : withFreshSignature(url, source.hls_url)
  const hls = new Hls({
    startPosition: startSeconds,
    // Segments are fMP4 already, so the transmuxing worker of hls.js is not worth its startup time.
    enableWorker: false,
    maxBufferLength: preloadSeconds,
    maxMaxBufferLength: activeBufferSeconds,
    // Only the length in seconds limits the buffer. With an additional limit in bytes, hls.js would treat it as a
    // minimum: a stream that is not on screen would load that many bytes.
    maxBufferSize: 0,
    backBufferLength: 30,
    abrEwmaDefaultEstimate: expected,
    loader: MasterPlaylistLoader,
    fLoader: class extends SegmentLoader {
      constructor(config: HlsConfig) {
        super(config, withCurrentSignature)
      }
    },
    ...limitGapChecks(
      () => isActive,
      (controller) => (gapController = controller),
    ),
    xhrSetup: (xhr, url) => xhr.open('GET', withCurrentSignature(url), true),
  })

  function reload() {
    pendingFailure?.abort()
    pendingFailure = undefined
    errorPolicy.reset()
    isLoadingPaused = false
    hls.config.startPosition = position.seconds
    hls.loadSource(source.hls_url)
  }
  /**
   * Resumes loading at the current position. Reloads the playlist if the stream has failed or its renditions never
   * loaded.
   */
  function resumeLoading() {
    isLoadingPaused = false
    if (pendingFailure || hls.levels.length === 0) reload()
    else hls.startLoad(position.seconds)
  }
  /** Reports an error; a `broken` stream plays its buffered part first. */
  function fail(reason: 'unplayable' | 'broken') {
    hls.stopLoad()
    pendingFailure = new AbortController()
    const canStillPlay = reason === 'broken' && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA
    if (!canStillPlay) onError(reason)
    else
      video.addEventListener('waiting', () => onError(reason), { once: true, signal: pendingFailure.signal })
  }
  hls.on(Hls.Events.MANIFEST_PARSED, () => {
    if (!hls.capLevelToPlayerSize) hls.autoLevelCapping = highestPreloadLevel(hls)
    // Set before the first segment loads: a paused video would show no frame of a rendition that is chosen later.
    if (chosenSide !== null) hls.loadLevel = levelIndexFor(hls, chosenSide)
    onRenditions()
  })
  function pauseLoading() {
    isLoadingPaused = true
    resumeAtSeconds = isEndBuffered(video)
      ? Infinity
      : video.currentTime + bufferedSecondsAhead(video) - refillBelowSeconds
    hls.stopLoad()
  }
  function pauseLoadingIfFull() {
    if (bufferedSecondsAhead(video) >= hls.config.maxBufferLength - toleranceSeconds && !isEndBuffered(video))
      pauseLoading()
  }
  function resumeLoadingIfPaused() {
    if (!isLoadingPaused) return
    isLoadingPaused = false
    if (!isSuspended) resumeLoading()
  }
  function resumeLoadingIfLow() {
    if (isActive && isLoadingPaused && video.currentTime > resumeAtSeconds) resumeLoadingIfPaused()
  }
  hls.on(Hls.Events.FRAG_BUFFERED, pauseLoadingIfFull)
  // Loading is paused only now, not when the last segment is buffered: hls.js must first signal the end of the stream.
  hls.on(Hls.Events.BUFFERED_TO_END, pauseLoading)
  video.addEventListener('timeupdate', resumeLoadingIfLow, { signal })
  video.addEventListener('seeking', () => isActive && resumeLoadingIfPaused(), { signal })
  // The element is paused after it was attached to a new source or attached again.
  hls.on(Hls.Events.MEDIA_ATTACHED, () => position.isPlaying && void play(video))
  hls.on(Hls.Events.ERROR, (_event, data) => {
    const action = errorPolicy.decide(data, video.currentTime, source.hls_url)
    if (action === 'ignore') return
    if (action === 'expired') onError('expired')
    else if (action === 'load again') resumeLoading()
    else if (action !== 'recover') fail(action)
    else {
      isLoadingPaused = false
      hls.config.startPosition = position.seconds
      hls.recoverMediaError()
    }
  })
  function fillBuffer() {
    resumeLoadingIfLow()
    if (hls.capLevelToPlayerSize) return
    // From now on the video's size on screen limits the rendition. The limit is never removed, because hls.js would
    // then reload its buffer.
    hls.autoLevelCapping = -1
    hls.capLevelToPlayerSize = true
  }
  const stopStallDetection = detectStall(
    video,
    stallTimeoutMs,
    () => fail('broken'),
    () => downloadProgress(hls),
  )
  // hls.js would retry by itself, but later.
  addEventListener('online', () => !isSuspended && !isLoadingPaused && resumeLoading(), { signal })
  hls.loadSource(source.hls_url)
  hls.attachMedia(video)
  // Started when idle, because the first segments are loaded without the worker.
  whenIdle(startSegmentWorker)
  return {
    renditions: () => [...new Set(hls.levels.map(shortSide))].filter(Boolean),
    chooseRendition: (side) => {
      // If the same rendition were set again, hls.js would drop its buffer.
      if (side === chosenSide) return
      chosenSide = side
      if (hls.levels.length === 0) return
      resumeLoadingIfPaused()
      hls.nextLevel = side === null ? -1 : levelIndexFor(hls, side)
    },
    renew(fresh) {
      const isSame = isSameAsset(source.hls_url, fresh.hls_url)
      source = fresh
      if (!isSame) reload()
      else if (!isLoadingPaused) resumeLoading()
    },
    setActive(active) {
      isActive = active
      hls.config.maxBufferLength = active ? activeBufferSeconds : preloadSeconds
      if (active) gapController?.setInterval(gapCheckMs)
      else gapController?.clearInterval()
      if (!active) return pauseLoadingIfFull()
      // Deferred, because the main thread is busy while the episode on screen changes.
      if (isLoadingPaused) whenIdle(() => isActive && !signal.aborted && fillBuffer(), resumeWithinMs)
      else fillBuffer()
    },
    setSuspended(suspended) {
      // If loading were started twice, hls.js would drop the requests in progress.
      if (suspended === isSuspended) return
      isSuspended = suspended
      if (suspended) hls.stopLoad()
      else if (!isLoadingPaused) resumeLoading()
    },
    retry: reload,
    close() {
      stopStallDetection()
      listening.abort()
      pendingFailure?.abort()
      // Before the first measurement, the estimate of hls.js is still the expected value and must not be stored.
      if (hls.bandwidthEstimate !== expected) storeBandwidth(hls.bandwidthEstimate)
      hls.destroy()
    },
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

/** Returns the index of the rendition with this shorter side, else of the next lower one, else of the lowest. */
function levelIndexFor({ levels }: Hls, side: number): number {
  return Math.max(
    0,
    levels.findLastIndex((level) => shortSide(level) <= side),
  )
}

/** Returns the seconds that are buffered after the current position without a gap. */
function bufferedSecondsAhead({ buffered, currentTime }: HTMLVideoElement): number {
  for (let i = 0; i < buffered.length; i++)
    if (currentTime >= buffered.start(i) - toleranceSeconds && currentTime <= buffered.end(i))
      return buffered.end(i) - currentTime
  return 0
}

function isEndBuffered(video: HTMLVideoElement): boolean {
  return video.currentTime + bufferedSecondsAhead(video) >= video.duration - toleranceSeconds
}

function downloadProgress({ inFlightFragments }: Hls): string {
  return Object.values(inFlightFragments)
    .map((flight) => `${flight?.frag?.sn} ${flight?.frag?.stats.loaded}`)
    .join(' ')
}
