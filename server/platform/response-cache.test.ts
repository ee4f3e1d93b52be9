import { describe, expect, it } from 'vitest'
import { createResponseCache } from './response-cache.ts'

function cacheAtNoon() {
  let now = Date.UTC(2026, 0, 1, 12)
  const answers = createResponseCache<string>({ now: () => new Date(now) })
  return {
    wait: (ms: number) => void (now += ms),
    /** @returns how often the answer was loaded */
    async ask(key: string, times: number) {
      let loads = 0
      const load = async () => `${key} ${++loads}`
      for (let time = 0; time < times; time++) await answers.get(key, load)
      return loads
    },
    held: () => answers.size,
  }
}

it('loads an answer once for all callers within a second, and again afterwards', async () => {
  const cache = cacheAtNoon()
  expect(await cache.ask('home', 3)).toBe(1)
  cache.wait(999)
  expect(await cache.ask('home', 3)).toBe(0)
  cache.wait(1)
  expect(await cache.ask('home', 3)).toBe(1)
})

it('drops expired answers', async () => {
  const cache = cacheAtNoon()
  for (let video = 0; video < 100; video++) await cache.ask(`video ${video}`, 1)
  expect(cache.held()).toBe(100)
  cache.wait(1000)
  await cache.ask('another', 1)
  cache.wait(500)
  await cache.ask('home', 1)
  expect(cache.held()).toBe(2)
})

it('does not cache a failure', async () => {
  const answers = createResponseCache<string>({ now: () => new Date(0) })
  await expect(answers.get('home', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await answers.get('home', async () => 'back')).toBe('back')
})

it('an answer composed of cached answers is at most a second old', async () => {
  let now = 10_900
  const clock = { now: () => new Date(now) }
  let truth = 'old'
  const parts = createResponseCache<string>(clock)
  const wholes = createResponseCache<string>(clock)
  const ask = () => wholes.get('whole', () => parts.get('part', async () => truth))
  expect(await parts.get('part', async () => truth)).toBe('old')
  truth = 'new'
  now = 10_990
  expect(await ask()).toBe('old')
  now = 11_000
  expect(await ask()).toBe('new')
})

it('loads once for callers that arrive during the load', async () => {
  const answers = createResponseCache<string>({ now: () => new Date(0) })
  let loads = 0
  const load = async () => `answer ${++loads}`
  expect(await Promise.all([answers.get('home', load), answers.get('home', load)])).toEqual([
    'answer 1',
    'answer 1',
  ])
})

describe('an answer that is kept until a change', () => {
  function keptAtNoon({ stale = false } = {}) {
    const state = {
      now: Date.UTC(2026, 0, 1, 12),
      /** The last change of the answer's video, and that of other videos. */
      change: 1,
      otherChange: 0,
      isSettled: true,
      truth: 'old',
      away: false,
    }
    const clock = { now: () => new Date(state.now) }
    const lastChange = (videoId?: string) => ({
      number: videoId === undefined ? Math.max(state.change, state.otherChange) : state.change,
      isSettled: state.isSettled,
    })
    const keep = {
      changes: { lastChange },
      mayKeep: (answer: string) => answer !== 'draft',
      videoIdOf: (answer: string) => (answer === 'no video' ? undefined : 'vid_1'),
    }
    const answers = createResponseCache<string>(clock, { keep, stale })
    const load = async () => {
      if (state.away) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED', syscall: 'connect' })
      return state.truth
    }
    return { state, ask: () => answers.get('key', load), answers }
  }

  it('is not loaded again until a change is announced or ten minutes have passed', async () => {
    const { state, ask } = keptAtNoon()
    await ask()
    state.truth = 'new'
    state.now += 10 * 60_000 - 1
    expect(await ask()).toBe('old')
    state.change = 2
    expect(await ask()).toBe('new')
    state.truth = 'newer'
    state.now += 10 * 60_000
    expect(await ask()).toBe('newer')
  })

  it('is cached only for a second while changes may go unnoticed', async () => {
    const { state, ask } = keptAtNoon()
    await ask()
    state.truth = 'new'
    state.change = 2
    state.isSettled = false
    expect(await ask()).toBe('new')
    state.truth = 'newer'
    expect(await ask()).toBe('new')
    state.now += 1000
    expect(await ask()).toBe('newer')
  })

  it('is not kept if a change was announced during its load', async () => {
    const { state, answers } = keptAtNoon()
    const gate = Promise.withResolvers<string>()
    const first = answers.get('key', () => gate.promise)
    state.change = 2
    gate.resolve('old')
    expect(await first).toBe('old')
    expect(await answers.get('key', async () => 'new')).toBe('new')
  })

  it.each(['old', 'draft'])('is not loaded again after a change of another video: %s', async (answer) => {
    const { state, ask, answers } = keptAtNoon()
    const gate = Promise.withResolvers<string>()
    const first = answers.get('key', () => gate.promise)
    state.otherChange = 2
    gate.resolve(answer)
    await first
    state.otherChange = 3
    state.truth = 'new'
    expect(await ask()).toBe(answer)
  })

  it('is loaded again after any change if it has no video', async () => {
    const { state, ask } = keptAtNoon()
    state.truth = 'no video'
    await ask()
    state.truth = 'new'
    state.now += 60_000
    expect(await ask()).toBe('no video')
    state.otherChange = 2
    expect(await ask()).toBe('new')
  })

  it('is cached for a second if it may change without an announcement', async () => {
    const { state, ask } = keptAtNoon()
    state.truth = 'draft'
    await ask()
    state.truth = 'new'
    expect(await ask()).toBe('draft')
    state.now += 1000
    expect(await ask()).toBe('new')
  })

  it('is returned for ten minutes after its last use while the database is unavailable', async () => {
    const { state, ask } = keptAtNoon({ stale: true })
    await ask()
    state.now += 570_000
    expect(await ask()).toBe('old')
    state.change = 2
    state.isSettled = false
    state.away = true
    state.now += 599_000
    expect(await ask()).toBe('old')
    state.now += 2000
    await expect(ask()).rejects.toThrow('away')
  })

  it('does not extend the life of other answers beyond a second', async () => {
    const { state, ask, answers } = keptAtNoon()
    await ask()
    for (let draft = 0; draft < 100; draft++) await answers.get(`draft ${draft}`, async () => 'draft')
    state.now += 1000
    await answers.get('another', async () => 'draft')
    state.now += 500
    expect(answers.size).toBe(2)
  })

  it('is not kept if it was returned in place of a failed load', async () => {
    const { state, ask } = keptAtNoon({ stale: true })
    await ask()
    state.change = 2
    state.truth = 'new'
    state.away = true
    expect(await ask()).toBe('old')
    state.away = false
    state.now += 1000
    // The older answer is returned at once; meanwhile the new one is loaded.
    expect(await ask()).toBe('old')
    expect(await ask()).toBe('new')
  })
})

describe('while the database is unavailable', () => {
  const rejectUnavailable = () => Promise.reject(Object.assign(new Error('gone'), { code: '57P01' }))
  function staleCache() {
    let now = Date.UTC(2026, 0, 1, 12)
    const answers = createResponseCache<string>({ now: () => new Date(now) }, { stale: true })
    return { answers, wait: (ms: number) => void (now += ms) }
  }

  it('returns the previous answer for ten minutes', async () => {
    const { answers, wait } = staleCache()
    await answers.get('home', async () => 'before')
    wait(599_000)
    expect(await answers.get('home', rejectUnavailable)).toBe('before')
    wait(2000)
    await expect(answers.get('home', rejectUnavailable)).rejects.toThrow('gone')
  })

  it('returns the previous answer without waiting once the outage is known, and new answers after the outage', async () => {
    const { answers, wait } = staleCache()
    await answers.get('home', async () => 'before')
    wait(1000)
    await answers.get('home', rejectUnavailable)
    wait(1000)
    const pending = Promise.withResolvers<string>()
    expect(await answers.get('home', () => pending.promise)).toBe('before')
    pending.resolve('new')
    await pending.promise
    wait(1000)
    expect(await answers.get('home', async () => 'newer')).toBe('newer')
  })

  it('fails without a previous answer, and after any other error', async () => {
    const { answers, wait } = staleCache()
    await expect(answers.get('home', rejectUnavailable)).rejects.toThrow('gone')
    await answers.get('home', async () => 'before')
    wait(1000)
    await expect(answers.get('home', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  })

  it('does not return a previous answer whose data has been deleted since', async () => {
    const { answers, wait } = staleCache()
    await answers.get('video', async () => 'before')
    wait(1000)
    await expect(answers.get('video', () => Promise.reject(new Error('archived')))).rejects.toThrow(
      'archived',
    )
    wait(1000)
    await expect(answers.get('video', rejectUnavailable)).rejects.toThrow('gone')
  })

  it('queries the database again after a statement time-out', async () => {
    const { answers, wait } = staleCache()
    await answers.get('home', async () => 'before')
    await answers.get('search', async () => 'found')
    wait(1000)
    const slow = () => Promise.reject(Object.assign(new Error('slow'), { code: '57014' }))
    expect(await answers.get('search', slow)).toBe('found')
    expect(await answers.get('home', async () => 'new')).toBe('new')
  })

  it('returns no previous answer if `stale` is not set', async () => {
    let now = 0
    const answers = createResponseCache<string>({ now: () => new Date(now) })
    await answers.get('rights', async () => 'before')
    now = 1000
    await expect(answers.get('rights', rejectUnavailable)).rejects.toThrow('gone')
  })
})
