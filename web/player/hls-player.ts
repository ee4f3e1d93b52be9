import Hls from 'hls.js'
import { expectedBandwidth, isSparing, rememberBandwidth } from './connection.ts'
import { followPlace } from './follow-place.ts'
import { FailureJudge } from './judge-failure.ts'
import { sameAsset, withFreshPass } from './link.ts'
import { MasterLoader } from './master-loader.ts'
import { play } from './play.ts'
import { shortSide } from './short-side.ts'
import type { OpenPlayer } from './stream.ts'
import { watchStandstill } from './watch-standstill.ts'

const activeSeconds = 30
/** What hls.js tries for ever is given up after this. */
const patienceMs = 10_000
/** A stream that waits holds its first seconds, of a rung with which they fit into these bytes. */
const waitingSeconds = 4
const waitingBytes = { usual: 1_500_000, sparing: 400_000 }

/** Plays through hls.js: it chooses among rungs, holds no more than it is told, renews its links without a cut and tells errors apart. */
export const openHls: OpenPlayer = (video, first, startSeconds, { onTrouble, onRungs }) => {
  let source = first
  let isResting = false
  let givenUp: AbortController | undefined
  const listening = new AbortController()
  const { signal } = listening
  const place = followPlace(video, startSeconds, signal)
  const expected = expectedBandwidth()
  const failures = new FailureJudge()
  const hls = new Hls({
    startPosition: startSeconds,
    // Segments are fMP4 already: starting a worker would cost more than it spares.
    enableWorker: false,
    maxBufferLength: waitingSeconds,
    maxMaxBufferLength: activeSeconds,
    // Seconds alone decide: by its size a stream that waits would take all of them.
    maxBufferSize: 0,
    backBufferLength: 30,
    abrEwmaDefaultEstimate: expected,
    loader: MasterLoader,
    xhrSetup: (xhr, url) =>
      xhr.open('GET', source === first ? url : withFreshPass(url, source.hls_url), true),
  })

  function reload() {
    givenUp?.abort()
    givenUp = undefined
    failures.startOver()
    hls.config.startPosition = place.seconds
    hls.loadSource(source.hls_url)
  }
  /** Fetches from where the picture is; a stream that never came to its rungs from the beginning. */
  function goOn() {
    if (givenUp || hls.levels.length === 0) reload()
    else hls.startLoad(place.seconds)
  }
  /** What has come may still be played before the person is told. */
  function giveUp(why: 'unplayable' | 'broken') {
    hls.stopLoad()
    givenUp = new AbortController()
    const isMoving = why === 'broken' && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA
    if (!isMoving) onTrouble(why)
    else video.addEventListener('waiting', () => onTrouble(why), { once: true, signal: givenUp.signal })
  }
  hls.on(Hls.Events.MANIFEST_PARSED, () => {
    if (!hls.capLevelToPlayerSize) hls.autoLevelCapping = rungWithin(hls)
    onRungs()
  })
  // A new source, and one that was taken out and put back, pauses.
  hls.on(Hls.Events.MEDIA_ATTACHED, () => place.isPlaying && void play(video))
  hls.on(Hls.Events.ERROR, (_event, data) => {
    const verdict = failures.judge(data, video.currentTime, source.hls_url)
    if (verdict === 'ignore') return
    if (verdict === 'expired') onTrouble('expired')
    else if (verdict === 'load again') goOn()
    else if (verdict !== 'recover') giveUp(verdict)
    else {
      hls.config.startPosition = place.seconds
      hls.recoverMediaError()
    }
  })
  const endWatch = watchStandstill(
    video,
    patienceMs,
    () => giveUp('broken'),
    () => bytesComing(hls),
  )
  // Sooner than hls.js would try again by itself.
  addEventListener('online', () => !isResting && goOn(), { signal })
  hls.loadSource(source.hls_url)
  hls.attachMedia(video)
  return {
    rungs: () => [...new Set(hls.levels.map(shortSide))].filter(Boolean),
    choose: (side) => {
      // Saying "automatic" to a stream that is so already would throw away what it has buffered.
      if (side === null && hls.autoLevelEnabled) return
      hls.nextLevel = side === null ? -1 : rungOf(hls, side)
    },
    renew(fresh) {
      const same = sameAsset(source.hls_url, fresh.hls_url)
      source = fresh
      if (same) goOn()
      else reload()
    },
    setActive(active) {
      hls.config.maxBufferLength = active ? activeSeconds : waitingSeconds
      if (!active || hls.capLevelToPlayerSize) return
      // From now on its size on screen is the limit; taken back, hls.js would fetch anew what it holds.
      hls.autoLevelCapping = -1
      hls.capLevelToPlayerSize = true
    },
    rest(resting) {
      // Told to start again, hls.js throws away what is on its way.
      if (resting === isResting) return
      isResting = resting
      if (resting) hls.stopLoad()
      else goOn()
    },
    retry: reload,
    close() {
      endWatch()
      listening.abort()
      givenUp?.abort()
      // Until something was measured it is what was expected.
      if (hls.bandwidthEstimate !== expected) rememberBandwidth(hls.bandwidthEstimate)
      hls.destroy()
    },
  }
}

/** The highest rung of which the first seconds fit into what a waiting stream may cost; the lowest, where none does. */
function rungWithin({ levels }: Hls): number {
  const bytes = isSparing() ? waitingBytes.sparing : waitingBytes.usual
  const fits = levels.findLastIndex(({ bitrate }) => (bitrate / 8) * waitingSeconds <= bytes)
  return Math.max(0, fits)
}

/** The rendition with this shorter side, or the next lower one that the stream has. */
function rungOf({ levels }: Hls, side: number): number {
  return Math.max(
    0,
    levels.findLastIndex((level) => shortSide(level) <= side),
  )
}

function bytesComing({ inFlightFragments }: Hls): string {
  return Object.values(inFlightFragments)
    .map((flight) => `${flight?.frag?.sn} ${flight?.frag?.stats.loaded}`)
    .join(' ')
}
