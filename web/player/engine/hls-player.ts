import Hls, { type GapController, type HlsConfig } from 'hls.js'
import { expectedBandwidth, shouldSaveData, storeBandwidth } from './bandwidth.ts'
import { whenIdle } from '#web/lib/when-idle.ts'
import { trackPosition } from './track-position.ts'
import { ErrorPolicy } from './error-policy.ts'
import { isSameAsset, withFreshSignature } from './signed-link.ts'
import { MasterPlaylistLoader } from './master-playlist-loader.ts'
import { play } from './play.ts'
import { SegmentLoader, startSegmentWorker } from './segment-loader.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer } from './player.ts'
import { detectStall } from './stall-detector.ts'

const activeBufferSeconds = 30
/** A full buffer is refilled only after it has fallen to this length. */
const refillBelowSeconds = 20
/** Interval of the stall check: hls.js would check every 100 ms, also in paused videos. */
const gapCheckMs = 250
/** Tolerance for the length of the buffer, which hls.js measures by its own rules: the results may differ by a few frames. */
const toleranceSeconds = 0.25
/** Maximum delay before a stream that came on screen continues to fetch. Its first seconds are buffered already. */
const resumeWithinMs = 500
/** A stall of this length is an error; hls.js would retry forever. */
const stallTimeoutMs = 10_000
/** A stream that is not on screen yet buffers this many seconds, in a rendition with which they fit into `preloadBytes`. */
const preloadSeconds = 4
const preloadBytes = { normal: 1_500_000, saveData: 400_000 }

/** Plays through hls.js: chooses renditions, limits the buffer, renews links without interruption and classifies errors. */
export const openHlsPlayer: OpenPlayer = (video, initialSource, startSeconds, { onError, onRenditions }) => {
  let source = initialSource
  let isActive = false
  let isSuspended = false
  /** The shorter side of the rendition that the viewer chose, or null for automatic choice. */
  let chosenSide: number | null = null
  /** True while the buffer is full. hls.js would still check ten times a second whether there is something to fetch. */
  let isLoadingPaused = false
  /** The position at which fetching resumes. The buffered range is read once, because reading it from the element is expensive. */
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
    // The length in seconds alone limits the buffer: with a limit in bytes, a stream that is not on screen would fill all of
    // them.
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
  /** Resumes fetching at the current position; a stream whose renditions never loaded starts from the beginning. */
  function resumeLoading() {
    isLoadingPaused = false
    if (pendingFailure || hls.levels.length === 0) reload()
    else hls.startLoad(position.seconds)
  }
  /** Reports an error only after the buffered part has been played. */
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
    // This happens before the first segment, because a paused video would not show a frame of a rendition that is chosen later.
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
  // Loading is not paused as soon as the end is buffered, because hls.js signals the end of the stream in its next check.
  hls.on(Hls.Events.BUFFERED_TO_END, pauseLoading)
  video.addEventListener('timeupdate', resumeLoadingIfLow, { signal })
  video.addEventListener('seeking', () => isActive && resumeLoadingIfPaused(), { signal })
  // A new source, or one that was removed and restored, is paused.
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
    // From now on the size on screen limits the rendition. When this is reverted, hls.js would refetch its buffer.
    hls.autoLevelCapping = -1
    hls.capLevelToPlayerSize = true
  }
  const stopStallDetection = detectStall(
    video,
    stallTimeoutMs,
    () => fail('broken'),
    () => downloadProgress(hls),
  )
  // This is sooner than hls.js would retry by itself.
  addEventListener('online', () => !isSuspended && !isLoadingPaused && resumeLoading(), { signal })
  hls.loadSource(source.hls_url)
  hls.attachMedia(video)
  // The first segments do not wait for the worker.
  whenIdle(startSegmentWorker)
  return {
    renditions: () => [...new Set(hls.levels.map(shortSide))].filter(Boolean),
    chooseRendition: (side) => {
      // Setting the same rendition again would make hls.js drop its buffer.
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
      // Deferred, because the change of an episode keeps the main thread busy.
      if (isLoadingPaused) whenIdle(() => isActive && !signal.aborted && fillBuffer(), resumeWithinMs)
      else fillBuffer()
    },
    setSuspended(suspended) {
      // Starting again would make hls.js drop the requests in progress.
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
      // Until something was measured, the estimate is the expected value.
      if (hls.bandwidthEstimate !== expected) storeBandwidth(hls.bandwidthEstimate)
      hls.destroy()
    },
  }
}

/** Makes hls.js check for gaps less often, and only in the stream on screen. `onCreated` receives the controller. */
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

/** Returns the highest rendition whose first seconds fit into the byte limit of a preloaded stream; the lowest if none does. */
function highestPreloadLevel({ levels }: Hls): number {
  const bytes = shouldSaveData() ? preloadBytes.saveData : preloadBytes.normal
  const highest = levels.findLastIndex(({ bitrate }) => (bitrate / 8) * preloadSeconds <= bytes)
  return Math.max(0, highest)
}

/** Returns the rendition with this shorter side, or the next lower one of the stream. */
function levelIndexFor({ levels }: Hls, side: number): number {
  return Math.max(
    0,
    levels.findLastIndex((level) => shortSide(level) <= side),
  )
}

/** Returns the seconds that can be played without another byte. */
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
