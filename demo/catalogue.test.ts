import { describe, expect, it } from 'vitest'
import { captions } from '#demo/captions.ts'
import { categoryNames, dramas, renderRank, tagNames } from '#demo/catalogue.ts'
import { filmGraph } from '#demo/film-graph.ts'
import { scoreWav } from '#demo/score.ts'
import { layersOf } from '#demo/stage.ts'
import { timeline, type Shot } from '#demo/story.ts'
import { languages, type Texts } from '#demo/texts.ts'

const episodes = dramas.flatMap((drama) =>
  drama.episodes.map((episode, index) => ({ drama, episode, name: `${drama.slug} ${index + 1}` })),
)
const poses = ['stand', 'walk', 'back', 'sit', 'reach', 'kneel', 'swim']

const people = (shot: Shot): string[] =>
  shot.kind === 'insert' ? [] : shot.kind === 'close' ? [shot.person.who] : shot.people.map(({ who }) => who)

const whole = (texts: Texts): boolean => languages.every((language) => texts[language].trim().length > 0)

describe('the demo catalogue', () => {
  it('has at least twelve dramas of six episodes with unique slugs', () => {
    expect(dramas.length).toBeGreaterThanOrEqual(12)
    expect(new Set(dramas.map(({ slug }) => slug)).size).toBe(dramas.length)
    expect(dramas.filter(({ episodes: { length } }) => length !== 6)).toEqual([])
  })

  it('has every text in five languages', () => {
    const texts = dramas.flatMap(({ title, synopsis, episodes: list }) => [
      title,
      synopsis,
      ...list.flatMap((episode) => [episode.title, ...episode.shots.flatMap(({ lines }) => lines)]),
    ])
    expect(texts.filter((text) => !whole(text))).toEqual([])
  })

  it('has names for exactly the used categories and tags', () => {
    expect(Object.keys(categoryNames).toSorted()).toEqual(
      [...new Set(dramas.map(({ category }) => category))].toSorted(),
    )
    expect(Object.keys(tagNames).toSorted()).toEqual(
      [...new Set(dramas.flatMap(({ tags }) => tags))].toSorted(),
    )
  })

  it('renders the first drama up to its first locked episode, then the first episodes of all other dramas', () => {
    const order = dramas
      .flatMap((drama) => drama.episodes.map((_, index) => ({ drama, number: index + 1 })))
      .toSorted((a, b) => renderRank(a.drama, a.number) - renderRank(b.drama, b.number))
      .map(({ drama, number }) => `${drama.slug} ${number}`)
    const [first, ...others] = dramas.map(({ slug }) => slug)
    expect(order.slice(0, 4)).toEqual([1, 2, 3, 4].map((number) => `${first} ${number}`))
    expect(order.slice(4, 4 + others.length)).toEqual(others.map((slug) => `${slug} 1`))
    expect(order.slice(4 + others.length, 4 + 2 * others.length)).toEqual(others.map((slug) => `${slug} 2`))
  })

  it("shows only characters of the drama's cast, in known poses", () => {
    const strangers = episodes.flatMap(({ drama, episode, name }) =>
      episode.shots
        .flatMap(people)
        .filter((who) => !drama.cast[who])
        .map((who) => `${name}: ${who}`),
    )
    expect(strangers).toEqual([])
    const standing = episodes.flatMap(({ episode }) =>
      episode.shots.flatMap((shot) => (shot.kind === 'wide' ? shot.people : [])),
    )
    expect(standing.filter(({ pose, x }) => !poses.includes(pose) || !(x > 0 && x < 1))).toEqual([])
  })
})

describe.each(episodes)('$name', ({ drama, episode }) => {
  const { seconds, shots, captions: cues } = timeline(episode)

  it('lasts 12 to 25 seconds, and every shot lasts at least 1.5 seconds', () => {
    expect(seconds).toBeGreaterThanOrEqual(12)
    expect(seconds).toBeLessThanOrEqual(25)
    expect(shots.every(({ start, end }) => end - start >= 1.5)).toBe(true)
  })

  it('has captions in order, and all end before the video ends', () => {
    const times = cues.flatMap(({ start, end }) => [start, end])
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(cues.at(-1)?.end).toBeLessThan(seconds)
    expect(captions(episode, 'dy').split('-->')).toHaveLength(cues.length + 1)
  })

  it('uses the images of all layers in its filter graph', () => {
    const staged = shots.map((shot, index) => ({
      ...shot,
      soft: true,
      layers: layersOf(drama, shot, index, shot.end - shot.start),
    }))
    const count = staged.reduce((sum, { layers }) => sum + layers.length, 0)
    expect(filmGraph(staged, seconds).match(/\[\d+:v\]/g)).toHaveLength(count)
  })
})

describe('the score', () => {
  const score = { mood: 'tense', root: 50, tempo: 100 } as const

  it('is deterministic and differs between episodes', () => {
    expect(scoreWav(score, 'a/1', 3, false).equals(scoreWav(score, 'a/1', 3, false))).toBe(true)
    expect(scoreWav(score, 'a/1', 3, false).equals(scoreWav(score, 'a/2', 3, false))).toBe(false)
  })

  it('is audible and does not clip', () => {
    const samples = new Int16Array(new Uint8Array(scoreWav(score, 'a/1', 6, true)).buffer, 44)
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(peak).toBeGreaterThan(15_000)
    expect(peak).toBeLessThan(32_000)
  })
})
