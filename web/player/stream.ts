import Hls, { type ErrorData } from 'hls.js'
import { sameAsset, withFreshPass } from './link.ts'
import { play } from './play.ts'
import { preferences } from './preferences.ts'

/** What is played: one HLS stream behind a link that expires. */
export interface Source {
  hls_url: string
  expires_at: string
  poster_url: string
}

export interface Stream {
  video: HTMLVideoElement
  /** Heights of the rungs, lowest first; empty until known or where the browser chooses by itself. */
  rungs(): number[]
  /** The wanted rung by its height, or null for automatic choice. */
  choose(height: number | null): void
  /** Goes on with a fresh link, at the same second. */
  renew(source: Source): void
  /** The stream on screen fills its buffer; one that waits holds a few seconds only. */
  setActive(active: boolean): void
  /** Tries again after a failure. */
  retry(): void
  /** Called when the link is refused or when the stream has stopped for good. */
  onTrouble: ((trouble: 'expired' | 'broken') => void) | null
  /** Called when the rungs are known. */
  onRungs: (() => void) | null
  close(): void
}

const waitingSeconds = 4
const activeSeconds = 30
const recoveries = 3

const prepared = new Map<string, Stream>()

/**
 * Plays the document's first episode before its screen exists, in the element that the document has for it; `takeStream`
 * with the same link then takes it over.
 */
export function startAhead(source: Source, startMs: number): void {
  const video = document.querySelector<HTMLVideoElement>('video#first-video') ?? createVideo()
  prepared.set(source.hls_url, openStream(video, source, startMs))
  video.muted = preferences.get().muted
  void play(video)
}

/** A prepared stream, or a new one. The caller closes it. */
export function takeStream(source: Source, startMs: number): Stream {
  const ready = prepared.get(source.hls_url)
  prepared.delete(source.hls_url)
  ready?.video.removeAttribute('id')
  return ready ?? openStream(createVideo(), source, startMs)
}

function createVideo(): HTMLVideoElement {
  const video = document.createElement('video')
  video.playsInline = true
  return video
}

function openStream(video: HTMLVideoElement, source: Source, startMs: number): Stream {
  video.preload = 'auto'
  video.disableRemotePlayback = false
  return Hls.isSupported() ? openHls(video, source, startMs) : openNative(video, source, startMs)
}

function openHls(video: HTMLVideoElement, first: Source, startMs: number): Stream {
  let source = first
  let left = recoveries
  const hls = new Hls({
    startPosition: startMs / 1000,
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
  const stream: Stream = {
    video,
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
    onTrouble: null,
    onRungs: null,
    close() {
      hls.destroy()
      video.removeAttribute('src')
      video.load()
      video.remove()
    },
  }
  function reload() {
    left = recoveries
    hls.config.startPosition = video.currentTime || startMs / 1000
    hls.loadSource(source.hls_url)
  }
  hls.on(Hls.Events.MANIFEST_PARSED, () => stream.onRungs?.())
  hls.on(Hls.Events.FRAG_BUFFERED, () => (left = recoveries))
  // The one place that decides what a failure means: an old link, a hiccup, or the end.
  hls.on(Hls.Events.ERROR, (_event, data) => {
    if (isRefused(data)) stream.onTrouble?.('expired')
    else if (!data.fatal) return
    else if (left-- <= 0) stream.onTrouble?.('broken')
    else if (data.type === Hls.ErrorTypes.MEDIA_ERROR) hls.recoverMediaError()
    else if (hls.levels.length > 0) hls.startLoad(video.currentTime)
    else stream.onTrouble?.('broken')
  })
  hls.loadSource(source.hls_url)
  hls.attachMedia(video)
  return stream
}

const isRefused = ({ response }: ErrorData) => response?.code === 403 || response?.code === 410

/** Browsers without Media Source Extensions (older iPhones) play HLS by themselves. */
function openNative(video: HTMLVideoElement, first: Source, startMs: number): Stream {
  let source = first
  const start = (seconds: number) => {
    video.src = source.hls_url
    video.currentTime = seconds
  }
  const stream: Stream = {
    video,
    rungs: () => [],
    choose: () => {},
    renew(fresh) {
      source = fresh
      const { currentTime, paused } = video
      start(currentTime)
      if (!paused) void video.play().catch(() => {})
    },
    setActive: () => {},
    retry: () => start(video.currentTime),
    onTrouble: null,
    onRungs: null,
    close() {
      video.removeAttribute('src')
      video.load()
      video.remove()
    },
  }
  video.addEventListener('error', () => {
    if (video.hasAttribute('src'))
      stream.onTrouble?.(Date.parse(source.expires_at) < Date.now() ? 'expired' : 'broken')
  })
  start(startMs / 1000)
  return stream
}
