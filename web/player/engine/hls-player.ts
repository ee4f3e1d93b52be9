import Hls, { type GapController, type HlsConfig } from 'hls.js'
import { expectedBandwidth, isSparing, rememberBandwidth } from './bandwidth.ts'
import { whenIdle } from '#web/lib/when-idle.ts'
import { trackPosition } from './track-position.ts'
import { ErrorPolicy } from './error-policy.ts'
import { sameAsset, withFreshSignature } from './signed-link.ts'
import { MasterLoader } from './master-loader.ts'
import { play } from './play.ts'
import { SegmentLoader, startSegmentWorker } from './segment-loader.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer } from './player.ts'
import { detectStall } from './stall-detector.ts'

const activeSeconds = 30
/** After the buffer was full, nothing is fetched until it has fallen to this length. */
const refillSeconds = 20
/** Interval of the stall check: hls.js would check every 100 ms, also in paused videos. */
const gapLookMs = 250
/** hls.js measures the buffer by its own rules, which may differ by a few frames. */
const slackSeconds = 0.25
/** A waiting stream starts to fetch at the latest this long after it came on screen; its first seconds are buffered already. */
const wakeWithinMs = 500
/** A stall of this length is an error; hls.js would retry forever. */
const patienceMs = 10_000
/** A waiting stream buffers its first seconds, in a rendition with which they fit into these bytes. */
const waitingSeconds = 4
const waitingBytes = { usual: 1_500_000, sparing: 400_000 }

/** Plays through hls.js: chooses renditions, limits the buffer, renews links without interruption and classifies errors. */
export const openHls: OpenPlayer = (video, first, startSeconds, { onTrouble, onRenditions }) => {
  let source = first
  let isActive = false
  let isResting = false
  /** The shorter side of the rendition that the viewer chose, or null for automatic choice. */
  let wanted: number | null = null
  /** True while the buffer is full. hls.js would still check ten times a second whether there is something to fetch. */
  let isAsleep = false
  /** The position at which fetching resumes. The buffered range is read once, because reading it from the element is expensive. */
  let wakesAt = Infinity
  let gaps: GapController | undefined
  let failed: AbortController | undefined
  const listening = new AbortController()
  const { signal } = listening
  const position = trackPosition(video, startSeconds, signal)
  const expected = expectedBandwidth()
  const errorPolicy = new ErrorPolicy()
  const linkTo = (url: string) => (source === first ? url : withFreshSignature(url, source.hls_url))
  const hls = new Hls({
    startPosition: startSeconds,
    // Segments are fMP4 already, so the transmuxing worker of hls.js is not worth its startup time.
    enableWorker: false,
    maxBufferLength: waitingSeconds,
    maxMaxBufferLength: activeSeconds,
    // Only seconds limit the buffer: with a limit in bytes a waiting stream would fill all of them.
    maxBufferSize: 0,
    backBufferLength: 30,
    abrEwmaDefaultEstimate: expected,
    loader: MasterLoader,
    fLoader: class extends SegmentLoader {
      constructor(config: HlsConfig) {
        super(config, linkTo)
      }
    },
    ...watchGaps(
      () => isActive,
      (made) => (gaps = made),
    ),
    xhrSetup: (xhr, url) => xhr.open('GET', linkTo(url), true),
  })

  function reload() {
    failed?.abort()
    failed = undefined
    errorPolicy.startOver()
    isAsleep = false
    hls.config.startPosition = position.seconds
    hls.loadSource(source.hls_url)
  }
  /** Resumes fetching at the current position; a stream whose renditions never loaded starts from the beginning. */
  function goOn() {
    isAsleep = false
    if (failed || hls.levels.length === 0) reload()
    else hls.startLoad(position.seconds)
  }
  /** Reports an error only after the buffered part has been played. */
  function fail(why: 'unplayable' | 'broken') {
    hls.stopLoad()
    failed = new AbortController()
    const isMoving = why === 'broken' && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA
    if (!isMoving) onTrouble(why)
    else video.addEventListener('waiting', () => onTrouble(why), { once: true, signal: failed.signal })
  }
  hls.on(Hls.Events.MANIFEST_PARSED, () => {
    if (!hls.capLevelToPlayerSize) hls.autoLevelCapping = highestAffordable(hls)
    // Before the first segment, because a paused video would not show the frame of a rendition that is chosen later.
    if (wanted !== null) hls.loadLevel = renditionOf(hls, wanted)
    onRenditions()
  })
  function sleep() {
    isAsleep = true
    wakesAt = holdsEnd(video) ? Infinity : video.currentTime + secondsAhead(video) - refillSeconds
    hls.stopLoad()
  }
  function sleepIfEnough() {
    if (secondsAhead(video) >= hls.config.maxBufferLength - slackSeconds && !holdsEnd(video)) sleep()
  }
  function wake() {
    if (!isAsleep) return
    isAsleep = false
    if (!isResting) goOn()
  }
  function wakeIfShort() {
    if (isActive && isAsleep && video.currentTime > wakesAt) wake()
  }
  hls.on(Hls.Events.FRAG_BUFFERED, sleepIfEnough)
  // Not as soon as the end is buffered: hls.js signals the end of the stream to the element in its next check.
  hls.on(Hls.Events.BUFFERED_TO_END, sleep)
  video.addEventListener('timeupdate', wakeIfShort, { signal })
  video.addEventListener('seeking', () => isActive && wake(), { signal })
  // A new source, or one that was removed and restored, is paused.
  hls.on(Hls.Events.MEDIA_ATTACHED, () => position.isPlaying && void play(video))
  hls.on(Hls.Events.ERROR, (_event, data) => {
    const action = errorPolicy.decide(data, video.currentTime, source.hls_url)
    if (action === 'ignore') return
    if (action === 'expired') onTrouble('expired')
    else if (action === 'load again') goOn()
    else if (action !== 'recover') fail(action)
    else {
      isAsleep = false
      hls.config.startPosition = position.seconds
      hls.recoverMediaError()
    }
  })
  function fill() {
    wakeIfShort()
    if (hls.capLevelToPlayerSize) return
    // From now on the size on screen limits the rendition. When this is reverted, hls.js would refetch its buffer.
    hls.autoLevelCapping = -1
    hls.capLevelToPlayerSize = true
  }
  const endWatch = detectStall(
    video,
    patienceMs,
    () => fail('broken'),
    () => bytesComing(hls),
  )
  // Sooner than hls.js would retry by itself.
  addEventListener('online', () => !isResting && !isAsleep && goOn(), { signal })
  hls.loadSource(source.hls_url)
  hls.attachMedia(video)
  // The first segments do not wait for the worker.
  whenIdle(startSegmentWorker)
  return {
    renditions: () => [...new Set(hls.levels.map(shortSide))].filter(Boolean),
    choose: (side) => {
      // Setting the same rendition again would make hls.js drop its buffer.
      if (side === wanted) return
      wanted = side
      if (hls.levels.length === 0) return
      wake()
      hls.nextLevel = side === null ? -1 : renditionOf(hls, side)
    },
    renew(fresh) {
      const same = sameAsset(source.hls_url, fresh.hls_url)
      source = fresh
      if (!same) reload()
      else if (!isAsleep) goOn()
    },
    setActive(active) {
      isActive = active
      hls.config.maxBufferLength = active ? activeSeconds : waitingSeconds
      if (active) gaps?.setInterval(gapLookMs)
      else gaps?.clearInterval()
      if (!active) return sleepIfEnough()
      // Deferred, because the change of an episode keeps the main thread busy.
      if (isAsleep) whenIdle(() => isActive && !signal.aborted && fill(), wakeWithinMs)
      else fill()
    },
    rest(resting) {
      // Starting again would make hls.js drop the requests in progress.
      if (resting === isResting) return
      isResting = resting
      if (resting) hls.stopLoad()
      else if (!isAsleep) goOn()
    },
    retry: reload,
    close() {
      endWatch()
      listening.abort()
      failed?.abort()
      // Until something was measured, the estimate is the expected value.
      if (hls.bandwidthEstimate !== expected) rememberBandwidth(hls.bandwidthEstimate)
      hls.destroy()
    },
  }
}

/** Makes hls.js check for gaps less often, and only in the stream on screen. `onMade` receives the controller. */
function watchGaps(isActive: () => boolean, onMade: (gaps: GapController) => void): Partial<HlsConfig> {
  const Usual = Hls.DefaultConfig.gapController
  if (!Usual) return {}
  return {
    gapController: class extends Usual {
      constructor(...given: ConstructorParameters<typeof GapController>) {
        super(...given)
        onMade(this)
      }
      override setInterval() {
        return isActive() && super.setInterval(gapLookMs)
      }
    },
  }
}

/** Returns the highest rendition whose first seconds fit into the byte limit of a waiting stream; the lowest if none does. */
function highestAffordable({ levels }: Hls): number {
  const bytes = isSparing() ? waitingBytes.sparing : waitingBytes.usual
  const fits = levels.findLastIndex(({ bitrate }) => (bitrate / 8) * waitingSeconds <= bytes)
  return Math.max(0, fits)
}

/** Returns the rendition with this shorter side, or the next lower one of the stream. */
function renditionOf({ levels }: Hls, side: number): number {
  return Math.max(
    0,
    levels.findLastIndex((level) => shortSide(level) <= side),
  )
}

/** Returns the seconds that can be played without another byte. */
function secondsAhead({ buffered, currentTime }: HTMLVideoElement): number {
  for (let i = 0; i < buffered.length; i++)
    if (currentTime >= buffered.start(i) - slackSeconds && currentTime <= buffered.end(i))
      return buffered.end(i) - currentTime
  return 0
}

function holdsEnd(video: HTMLVideoElement): boolean {
  return video.currentTime + secondsAhead(video) >= video.duration - slackSeconds
}

function bytesComing({ inFlightFragments }: Hls): string {
  return Object.values(inFlightFragments)
    .map((flight) => `${flight?.frag?.sn} ${flight?.frag?.stats.loaded}`)
    .join(' ')
}
