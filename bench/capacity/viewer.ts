import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createProgressSaver, type WatchPosition } from '#web/features/library/progress-saver.ts'

/** The site that all viewers use, and the durations of their requests. */
export interface Meter {
  base: string
  agent: Agent
  /** Durations of the API requests in milliseconds. Beacons are included. */
  calls: number[]
  segments: number
  failures: string[]
  /** True if a CDN in front of the site would serve the segments. The viewers then request no segments. */
  edge: boolean
}

export function openMeter(base: string, edge: boolean): Meter {
  return { base, agent: new Agent({ keepAlive: true }), calls: [], segments: 0, failures: [], edge }
}

interface Episode {
  id: string
  state: string
  duration_ms: number
}

export interface OpenedEpisode {
  videoId: string
  episodes: Episode[]
  first: Playing
  next: Playing
}

interface Playing {
  episode: Episode
  /** URLs of the segments, each two seconds long. */
  segments: string[]
}

const segmentMs = 2000
/** Number of segments that a player requests at the start of an episode. */
const aheadSegments = 3
/** Interval of the browser's `timeupdate` events in milliseconds. */
const tickMs = 250

/**
 * Simulates a member in a browser: sends the requests of each page in their order, and plays episodes as the player
 * does.
 */
export class Viewer {
  readonly #meter: Meter
  readonly #cookie: string

  constructor(meter: Meter, cookie: string) {
    this.#meter = meter
    this.#cookie = cookie
  }

  /** Opens the homepage, then a video, until its first episode can play. */
  async arrive(): Promise<OpenedEpisode> {
    await this.#get('/')
    const [home] = await Promise.all([
      this.#ask('/api/homepage'),
      this.#ask('/api/user'),
      this.#ask('/api/user/history?kind=watched&limit=12'),
      this.#ask('/api/reports'),
    ])
    await this.#sendEvent('visit')
    const videoId = String(pick(home, 'info', 'homepage', 0, 'items', 0, 'id'))
    const [, list] = await Promise.all([
      this.#ask(`/api/video?id=${videoId}`),
      this.#ask(`/api/video/episode?video_id=${videoId}&limit=200`),
    ])
    // The cast is safe: the site sent the response.
    const episodes = pick(list, 'data', 'list') as Episode[] | undefined
    if (!episodes?.length) throw new Error(`Video ${videoId} has no episodes to watch.`)
    await this.#sendEvent('visit_video', { video_id: videoId })
    const [first, next] = [await this.#open(episodes[0]), await this.#open(episodes[1 % episodes.length])]
    return { videoId, episodes, first, next }
  }

  /** Saves `count` positions in an episode, one after the other. */
  async savePositions({ videoId, first }: OpenedEpisode, count: number): Promise<void> {
    for (let saved = 0; saved < count; saved++)
      await this.#save({ videoId, episodeId: first.episode.id, positionMs: saved * 1000 }, new Date())
  }

  /**
   * Watches one episode after the other for `ms` milliseconds, then leaves. The player's own code
   * (`createProgressSaver`) decides when positions are saved.
   */
  async watch({ videoId, episodes, ...opened }: OpenedEpisode, ms: number): Promise<void> {
    const saver = createProgressSaver((place, at) => this.#save(place, at))
    const over = performance.now() + ms
    let { first: playing, next } = opened
    for (let number = 0; performance.now() < over; number++) {
      const { id, duration_ms } = playing.episode
      const startedAt = performance.now()
      await this.#sendEvent('play_start', {
        episode_id: id,
        ms: '420',
        way: 'swipe',
        height: '640',
        player: 'hls',
      })
      const end = Math.min(startedAt + duration_ms, over)
      let fetched = 0
      while (performance.now() < end) {
        const positionMs = performance.now() - startedAt
        saver.report({ videoId, episodeId: id, positionMs })
        while (fetched < positionMs / segmentMs + aheadSegments)
          await this.#segment(playing.segments[fetched++])
        await delay(tickMs)
      }
      await saver.flush()
      playing = next
      next = await this.#open(episodes[(number + 2) % episodes.length])
    }
  }

  #save({ videoId, episodeId, positionMs }: WatchPosition, at: Date): Promise<void> {
    const place = { video_id: videoId, episode_id: episodeId, position_ms: Math.round(positionMs) }
    return this.#post('/api/user/history', { ...place, at: at.toISOString() })
  }

  async #open(episode: Episode | undefined): Promise<Playing> {
    if (episode?.state !== 'free')
      return { episode: episode ?? { id: '', state: '', duration_ms: 0 }, segments: [] }
    const answer = await this.#ask(`/api/video/episode?episode_id=${episode.id}`)
    const hls = String(pick(answer, 'info', 'playback', 'hls_url'))
    if (this.#meter.edge) return { episode, segments: [] }
    const folder = hls.slice(0, hls.lastIndexOf('/'))
    const lines = async (path: string) =>
      (await this.#get(path)).split('\n').filter((line) => line && !line.startsWith('#'))
    const [variant = ''] = await lines(hls)
    const variantPath = `${folder}/${variant}`
    const segments = await lines(variantPath)
    return {
      episode,
      segments: segments.map((name) => `${variantPath.slice(0, variantPath.lastIndexOf('/'))}/${name}`),
    }
  }

  async #segment(path: string | undefined): Promise<void> {
    if (path === undefined || this.#meter.edge) return
    await this.#get(path)
    this.#meter.segments++
  }

  async #sendEvent(event: string, fields: Record<string, string> = {}): Promise<void> {
    await this.#timed(`/api/statics.png?${new URLSearchParams({ event, ...fields }).toString()}`)
  }

  async #ask(path: string): Promise<unknown> {
    const answer: unknown = JSON.parse(await this.#timed(path))
    if (pick(answer, 'code') !== 200) this.#meter.failures.push(`${path} answered ${JSON.stringify(answer)}`)
    return answer
  }

  async #post(path: string, body: object): Promise<void> {
    const answer: unknown = JSON.parse(await this.#timed(path, JSON.stringify(body)))
    if (pick(answer, 'code') !== 200) this.#meter.failures.push(`${path} answered ${JSON.stringify(answer)}`)
  }

  async #timed(path: string, body?: string): Promise<string> {
    const startedAt = performance.now()
    const text = await this.#get(path, body)
    this.#meter.calls.push(performance.now() - startedAt)
    return text
  }

  /**
   * Sends a GET request, or a POST request with a body. Uses Node's HTTP client, which needs less CPU than `fetch`: a
   * thousand viewers must not slow down the measured site.
   */
  #get(path: string, body?: string): Promise<string> {
    const { base, agent } = this.#meter
    const headers = {
      cookie: this.#cookie,
      'x-time-zone': 'Europe/Berlin',
      'accept-language': 'en',
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }),
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        base + path,
        { agent, headers, method: body === undefined ? 'GET' : 'POST' },
        (answer) => {
          const isText = /text|json|mpegurl/.test(answer.headers['content-type'] ?? '')
          let text = ''
          if (answer.statusCode !== 200) this.#meter.failures.push(`${path} answered ${answer.statusCode}`)
          if (isText) answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          else answer.resume()
          answer.once('end', () => resolve(text)).once('error', reject)
        },
      )
      outgoing.once('error', reject).end(body)
    })
  }
}

/** Returns the value at a path in a response. */
function pick(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((at, key) => Object(at)[key], value)
}
