import Hls, { type ErrorData } from 'hls.js'
import { sameAsset, withFreshPass } from './link.ts'
import type { OpenPlayer } from './stream.ts'

const waitingSeconds = 4
const activeSeconds = 30
const recoveries = 3

/** Plays through hls.js: it chooses among rungs, holds no more than it is told, renews its links without a cut and tells errors apart. */
export const openHls: OpenPlayer = (video, first, startSeconds, { onTrouble, onRungs }) => {
  let source = first
  let left = recoveries
  const hls = new Hls({
    startPosition: startSeconds,
    // Segments are fMP4 already: starting a worker would cost more than it spares.
    enableWorker: false,
    maxBufferLength: waitingSeconds,
    maxMaxBufferLength: activeSeconds,
    // Seconds alone decide: by its size a stream that waits would take all of them.
    maxBufferSize: 0,
    backBufferLength: 30,
    capLevelToPlayerSize: true,
    abrEwmaDefaultEstimate: 1_500_000,
    xhrSetup: (xhr, url) => xhr.open('GET', withFreshPass(url, source.hls_url), true),
  })
  function reload() {
    left = recoveries
    hls.config.startPosition = video.currentTime || startSeconds
    hls.loadSource(source.hls_url)
  }
  hls.on(Hls.Events.MANIFEST_PARSED, onRungs)
  hls.on(Hls.Events.FRAG_BUFFERED, () => (left = recoveries))
  // The one place that decides what a failure means: an old link, a hiccup, or the end.
  hls.on(Hls.Events.ERROR, (_event, data) => {
    if (isRefused(data)) onTrouble('expired')
    else if (!data.fatal) return
    else if (left-- <= 0) onTrouble('broken')
    else if (data.type === Hls.ErrorTypes.MEDIA_ERROR) hls.recoverMediaError()
    else if (hls.levels.length > 0) hls.startLoad(video.currentTime)
    else onTrouble('broken')
  })
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
    setActive: (active) => {
      hls.config.maxBufferLength = active ? activeSeconds : waitingSeconds
    },
    retry: reload,
    close: () => hls.destroy(),
  }
}

const isRefused = ({ response }: ErrorData) => response?.code === 403 || response?.code === 410
