import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LifecycleHooks } from '#server/features/members/lifecycle-hooks.ts'
import { mergeGuest } from '#server/features/members/sessions/merge-guest.ts'
import { newId } from '#server/platform/ids.ts'
import { joinWrites, type JoinWrites, type WriteBuffer } from '#server/platform/join-writes.ts'
import { noQuotas } from '#server/platform/network-quotas.ts'
import { noAnnouncements } from '#server/testing/no-announcements.ts'
import { checkProperty, propertyTimeoutMs } from '#server/testing/check-property.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { aggregatePlays } from '#server/features/library/counts/aggregate-counts.ts'
import type { Db, Tx } from '#server/tables.ts'
import { selectViewing, selectWatched } from './history-queries.ts'
import { removeFromHistory, savePosition } from './save-position.ts'
import { bufferPositions, type PositionBuffer } from './position-buffer.ts'

type Person = 'guest' | 'member'
const minute = 60_000
const halfHour = 30 * minute
/** Start time of each sequence: on a half hour, and in the past for any clock. */
const start = Date.UTC(2026, 0, 1)

let site: TestSite
let videos: BuiltVideo[]
/** The position buffers of two processes. They write only when a step of the test makes them write. */
let processes: PositionBuffer[]
/** The write buffers of the two processes, for steps that write them in a transaction with other data. */
let joined: WriteBuffer<Tx>[]
const time = { now: start }

beforeAll(async () => {
  site = await startTestSite()
  videos = await Promise.all(
    Array.from({ length: 3 }, () => buildVideo(site.context, { episodes: 2, freeEpisodes: 2 })),
  )
  const { db, log, countPlays } = site.context
  const clock = { now: () => new Date(time.now) }
  joined = []
  const never = joinWrites<Tx>((work) => db.transaction().execute(work), log, 2 ** 30)
  const join: JoinWrites<Tx> = (buffer) => {
    joined.push(buffer)
    return never(buffer)
  }
  processes = [1, 2].map(() =>
    bufferPositions({
      db,
      log,
      clock,
      countPlays,
      quotas: noQuotas,
      running: async () => [],
      joinWrites: join,
      catalogueChanges: noAnnouncements,
    }),
  )
})
afterAll(() => site.close())

interface Entry {
  episode: number
  position: number
  at: number
  removed: boolean
}

/** A model of what a guest and a member watched. For each video, the position with the latest `at` wins. */
class History {
  readonly ids = { guest: newId('usr'), member: newId('usr') }
  now = start
  signedIn = false
  /** Entries of each person by video. */
  readonly entries = { guest: new Map<number, Entry>(), member: new Map<number, Entry>() }
  /** Plays by person, each as video, episode and half hour. */
  readonly plays = { guest: new Set<string>(), member: new Set<string>() }

  /** Returns whose records a call changes. After the sign-in, a call from the guest's device belongs to the member. */
  who(person: Person): Person {
    return this.signedIn ? 'member' : person
  }

  save(person: Person, video: number, entry: Omit<Entry, 'removed'>): void {
    const who = this.who(person)
    const at = Math.min(entry.at, this.now)
    const known = this.entries[who].get(video)
    if (!known || known.at < at) this.entries[who].set(video, { ...entry, at, removed: false })
    this.plays[who].add(`${video} ${entry.episode} ${Math.floor(this.now / halfHour)}`)
  }

  /** Removes an entry unless it was watched after `at`. Positions from before `at` neither restore nor create it. */
  remove(person: Person, video: number, at: number): void {
    const entries = this.entries[this.who(person)]
    const known = entries.get(video) ?? { episode: 0, position: 0, at: -Infinity }
    const time = Math.min(at, this.now)
    if (known.at <= time) entries.set(video, { ...known, removed: true, at: time })
  }

  signIn(): void {
    for (const [video, entry] of this.entries.guest) {
      const own = this.entries.member.get(video)
      // A removal by the guest does not remove the member's entry.
      const isNewer = !own || (own.at < entry.at && (!entry.removed || own.removed))
      if (isNewer) this.entries.member.set(video, entry)
    }
    this.entries.guest.clear()
    for (const play of this.plays.guest) this.plays.member.add(play)
    this.plays.guest.clear()
    this.signedIn = true
  }

  listed(person: Person) {
    const remaining = [...this.entries[person]].filter(([, entry]) => !entry.removed)
    return remaining
      .map(([video, { episode, position, at }]) => ({
        video_id: videos[video]?.id ?? '',
        episode_id: videos[video]?.episodes[episode]?.id ?? '',
        position_ms: position,
        at: new Date(at),
      }))
      .toSorted((a, b) => b.at.getTime() - a.at.getTime() || (a.video_id < b.video_id ? -1 : 1))
  }
}

/** An action of a device or of the site. The report of a failed test contains the text of `toString`. */
abstract class Step implements fc.AsyncCommand<History, TestSite> {
  check(_history: Readonly<History>): boolean {
    return true
  }
  abstract run(history: History, real: TestSite): Promise<void>
  abstract toString(): string
}

const nowhere = { referrerToken: undefined, fbclid: undefined, ttclid: undefined }

function at(process: number): PositionBuffer {
  const saves = processes[process]
  if (!saves) throw new Error('no such process')
  return saves
}

async function flushAll(): Promise<void> {
  for (const saves of processes) await saves.flush()
}

async function openVideo(db: Db, saves: PositionBuffer, userId: string, videoId: string): Promise<void> {
  await saves.flushUser(userId)
  const viewing = await selectViewing(db, userId, videoId)
  if (viewing) saves.cacheViewing(userId, videoId, viewing)
}

const clockOf = (minutes: number) => new Date(start + minutes * minute).toISOString().slice(11, 16)

class Save extends Step {
  readonly params: {
    process: number
    person: Person
    video: number
    episode: number
    position: number
    at: number
    /** Whether the device has just opened the video's page, so that even the first position may be buffered. */
    opened: boolean
  }
  constructor(params: Save['params']) {
    super()
    this.params = params
  }
  /** Skips a position with the same time as an existing one, because in two processes either position could win. */
  override check({ entries, now }: Readonly<History>): boolean {
    const at = Math.min(start + this.params.at * minute, now)
    return [entries.guest, entries.member].every((of) => of.get(this.params.video)?.at !== at)
  }
  toString(): string {
    const { process, person, video, episode, position, at, opened } = this.params
    return `at process ${process} the ${person} ${opened ? 'opens the page and ' : ''}saves video ${video}, episode ${episode} at ${position} ms, watched at ${clockOf(at)}`
  }
  async run(history: History, { context: { db } }: TestSite): Promise<void> {
    const { process, person, video, episode, position, at: minutes, opened } = this.params
    const watchedAt = start + minutes * minute
    const saved = {
      video_id: videos[video]?.id ?? '',
      episode_id: videos[video]?.episodes[episode]?.id ?? '',
      position_ms: position,
      at: new Date(watchedAt).toISOString(),
    }
    const userId = history.ids[history.who(person)]
    if (opened) await openVideo(db, at(process), userId, saved.video_id)
    const call = { userId, position: saved, ip: '192.0.2.1', zone: undefined, ids: nowhere }
    if (!(await at(process).accept(call))) {
      await at(process).flushUser(userId)
      const now = new Date(history.now)
      const stands = await db
        .transaction()
        .execute((tx) => savePosition(tx, userId, saved, now, async () => {}))
      at(process).cache(call, stands)
    }
    history.save(person, video, { episode, position, at: watchedAt })
  }
}

class Remove extends Step {
  readonly params: { process: number; person: Person; video: number; at: number | undefined }
  constructor(params: Remove['params']) {
    super()
    this.params = params
  }
  toString(): string {
    const { process, person, video, at } = this.params
    return `at process ${process} the ${person} removes video ${video}${at === undefined ? '' : `, decided at ${clockOf(at)}`}`
  }
  async run(history: History, { context: { db } }: TestSite): Promise<void> {
    const { process, person, video, at: minutes } = this.params
    const decidedAt = minutes === undefined ? undefined : start + minutes * minute
    const removal = {
      remove: [videos[video]?.id ?? ''],
      ...(decidedAt === undefined ? {} : { at: new Date(decidedAt).toISOString() }),
    }
    const userId = history.ids[history.who(person)]
    const now = new Date(history.now)
    await at(process).flushUser(userId)
    at(process).evict(userId)
    await db.transaction().execute((tx) => removeFromHistory(tx, userId, removal, now))
    history.remove(person, video, decidedAt ?? history.now)
  }
}

class SignIn extends Step {
  readonly process: number
  constructor(process: number) {
    super()
    this.process = process
  }
  override check({ signedIn }: Readonly<History>): boolean {
    return !signedIn
  }
  toString(): string {
    return `the guest signs in at process ${this.process}`
  }
  async run(history: History, { context }: TestSite): Promise<void> {
    const { guest, member } = history.ids
    const from = { id: guest, language: 'en' }
    // The guest may have removed an entry in the other process. This process may not know about the removal, and could
    // restore the entry for the member.
    if ([...history.entries.guest.values()].some(({ removed }) => removed)) await flushAll()
    const settle: LifecycleHooks['merge'][number] = (tx, id) =>
      at(this.process).flushUserInTransaction(tx, id)
    const lifecycleHooks = { ...context.lifecycleHooks, merge: [settle, ...context.lifecycleHooks.merge] }
    await context.db
      .transaction()
      .execute((tx) => mergeGuest({ ...context, lifecycleHooks }, tx, from, member, async () => {}))
    history.signIn()
  }
}

class Wait extends Step {
  readonly minutes: number
  constructor(minutes: number) {
    super()
    this.minutes = minutes
  }
  toString(): string {
    return `${this.minutes} minutes pass`
  }
  async run(history: History): Promise<void> {
    history.now += this.minutes * minute
    time.now = history.now
  }
}

class Write extends Step {
  readonly process: number
  constructor(process: number) {
    super()
    this.process = process
  }
  toString(): string {
    return `process ${this.process} writes its pending positions`
  }
  run(): Promise<void> {
    return at(this.process).flush()
  }
}

class WriteTogether extends Step {
  readonly params: { process: number; outcome: 'committed' | 'rolled back' | 'unknown' }
  constructor(params: WriteTogether['params']) {
    super()
    this.params = params
  }
  toString(): string {
    const { process, outcome } = this.params
    return `process ${process} writes its pending positions in a transaction with other data, which is ${outcome}`
  }
  async run(_: History, { context: { db } }: TestSite): Promise<void> {
    const { process, outcome } = this.params
    const batch = await joined[process]?.take()
    if (!batch) return
    const transaction = db.transaction().execute(async (tx) => {
      const finish = await batch.write(tx)
      if (outcome === 'rolled back') throw new Error('other data was refused')
      return finish
    })
    await transaction.then(
      // If the connection is lost during the commit, the process does not learn that the commit succeeded.
      (finish) => (outcome === 'unknown' ? batch.putBack() : finish()),
      () => batch.putBack(),
    )
  }
}

class Count extends Step {
  toString(): string {
    return 'plays are counted'
  }
  run(_: History, { context: { db } }: TestSite): Promise<void> {
    return aggregatePlays(db)
  }
}

const person = fc.constantFrom<Person>('guest', 'member')
const process = fc.nat({ max: 1 })
const video = fc.nat({ max: 1 })
/** The device's time, in minutes after the start. Devices may send late or have a fast clock. */
const minutes = fc.nat({ max: 120 })
const steps = fc.commands<History, TestSite, false>(
  [
    fc
      .record({
        process,
        person,
        video,
        episode: fc.nat({ max: 1 }),
        position: fc.nat({ max: 9 }),
        at: minutes,
        opened: fc.boolean(),
      })
      .map((params) => new Save({ ...params, position: params.position * 1000 })),
    fc
      .record({ process, person, video, at: fc.option(minutes, { nil: undefined }) })
      .map((params) => new Remove(params)),
    process.map((number) => new SignIn(number)),
    process.map((number) => new Write(number)),
    fc
      .record({ process, outcome: fc.constantFrom('committed', 'rolled back', 'unknown') })
      .map((params) => new WriteTogether(params)),
    fc.constantFrom(1, 20, 40).map((passed) => new Wait(passed)),
    fc.constant(undefined).map(() => new Count()),
  ],
  { maxCommands: 30 },
)

async function begin(): Promise<History> {
  const history = new History()
  time.now = history.now
  const rows = Object.values(history.ids).map((id) => ({
    id,
    email: null,
    display_name: null,
    language: 'en',
    referral_code: id,
    created_at: new Date(),
  }))
  await site.context.db.insertInto('users').values(rows).execute()
  return history
}

async function playCounts(): Promise<number[]> {
  const ids = videos.map(({ id }) => id)
  const rows = await site.context.db
    .selectFrom('videos')
    .select(['id', 'play_count'])
    .where('id', 'in', ids)
    .execute()
  return ids.map((id) => rows.find((row) => row.id === id)?.play_count ?? NaN)
}

test(
  'the history has the latest position of each video after any saves, removals and a sign-in, and each play is counted once',
  { timeout: propertyTimeoutMs },
  () =>
    checkProperty(
      fc.asyncProperty(steps, async (sequence) => {
        const { db } = site.context
        const history = await begin()
        // A failed sequence may have left plays that are not written or counted.
        await flushAll()
        await aggregatePlays(db)
        const before = await playCounts()
        await fc.asyncModelRun(() => ({ model: history, real: site }), sequence)
        await flushAll()
        const people: Person[] = history.signedIn ? ['member'] : ['guest', 'member']
        for (const who of people) {
          const rows = await selectWatched(db, history.ids[who], undefined, 50)
          const listed = rows.map(({ video_id, episode_id, position_ms, at: time }) => ({
            video_id,
            episode_id,
            position_ms,
            at: time,
          }))
          expect(listed).toEqual(history.listed(who))
        }
        await aggregatePlays(db)
        const counted = (await playCounts()).map((count, index) => count - (before[index] ?? 0))
        const plays = [...history.plays.guest, ...history.plays.member]
        expect(counted).toEqual(
          videos.map((_, index) => plays.filter((play) => play.startsWith(`${index} `)).length),
        )
      }),
    ),
)
