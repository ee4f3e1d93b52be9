import Hls from 'hls.js'
import { expectedBandwidth, isSparing, rememberBandwidth } from './connection.ts'
import { FailureJudge } from './judge-failure.ts'
import { sameAsset, withFreshPass } from './link.ts'
import { MasterLoader } from './master-loader.ts'
import { play } from './play.ts'
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
  let isActive = false
  let isResting = false
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
    failures.startOver()
    hls.config.startPosition = video.currentTime || startSeconds
    const isPlaying = !video.paused
    hls.loadSource(source.hls_url)
    // A new source pauses.
    if (isPlaying) void play(video)
  }
  /** On screen its size is the limit. */
  function limitRungs() {
    hls.capLevelToPlayerSize = isActive
    hls.autoLevelCapping = isActive ? -1 : rungWithin(hls)
  }
  function giveUp(why: 'unplayable' | 'broken') {
    hls.stopLoad()
    onTrouble(why)
  }
  hls.on(Hls.Events.MANIFEST_PARSED, () => {
    limitRungs()
    onRungs()
  })
  hls.on(Hls.Events.ERROR, (_event, data) => {
    const verdict = failures.judge(data, video.currentTime, source.hls_url)
    if (verdict === 'ignore') return
    if (verdict === 'recover') hls.recoverMediaError()
    else if (verdict === 'load again' && hls.levels.length > 0) hls.startLoad(video.currentTime)
    else if (verdict === 'expired') onTrouble('expired')
    else giveUp(verdict === 'unplayable' ? 'unplayable' : 'broken')
  })
  const endWatch = watchStandstill(video, patienceMs, () => giveUp('broken'))
  // Sooner than hls.js would try again by itself.
  const goOn = () => hls.levels.length > 0 && !isResting && hls.startLoad()
  addEventListener('online', goOn)
  hls.loadSource(source.hls_url)
  hls.attachMedia(video)
  return {
    rungs: () => [...new Set(hls.levels.map(({ height }) => height))].filter(Boolean),
    choose: (height) => {
      // Saying "automatic" to a stream that is so already would throw away what it has buffered.
      if (height === null && hls.autoLevelEnabled) return
      hls.nextLevel = height === null ? -1 : hls.levels.findIndex((level) => level.height === height)
    },
    renew(fresh) {
      const same = sameAsset(source.hls_url, fresh.hls_url)
      source = fresh
      if (same && hls.levels.length > 0) hls.startLoad(video.currentTime)
      else reload()
    },
    setActive(active) {
      isActive = active
      hls.config.maxBufferLength = active ? activeSeconds : waitingSeconds
      limitRungs()
    },
    rest(resting) {
      // Told to start again, hls.js throws away what is on its way.
      if (resting === isResting) return
      isResting = resting
      if (resting) hls.stopLoad()
      else hls.startLoad()
    },
    retry: reload,
    close() {
      endWatch()
      removeEventListener('online', goOn)
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
