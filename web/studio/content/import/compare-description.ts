import type { BodyOf } from '#contract/endpoint.ts'
import { languages, type Language } from '#contract/languages.ts'
import type { VideoDescription } from '#contract/studio/descriptions.ts'
import type { StudioVideo, StudioVideoPage, editVideo } from '#contract/studio/videos.ts'
import { decimalOf } from '#web/studio/format.ts'

type Edits = Omit<BodyOf<typeof editVideo>, 'id'>

/** What a `video.yaml` says otherwise than the video's page. */
export interface Difference {
  part: 'titles' | 'synopses' | 'category' | 'tags' | 'free_episodes' | 'price' | 'badge' | 'featured'
  /** Of a text. */
  language?: Language
  /** Empty where the page has nothing, so that nothing is lost by taking it. */
  was: string
  says: string
  /** Nobody has said what was: a draft took it over from the video before. */
  isInherited: boolean
  edits: Edits
}

/** Where a description and a video differ. What the description leaves out is no difference. */
export function compareDescription(said: VideoDescription, video: StudioVideoPage): Difference[] {
  const texts = (part: 'titles' | 'synopses') =>
    languages.map((language) => {
      const says = said[part][language] ?? ''
      return {
        part,
        language,
        was: video[part][language] ?? '',
        says,
        edits: { [part]: { [language]: says } },
      }
    })
  const { category, tags, badge, featured, free_episodes, episode_cents, video_cents, currency } = said
  const all: Omit<Difference, 'isInherited'>[] = [
    ...texts('titles'),
    ...texts('synopses'),
    { part: 'category', was: video.category?.slug ?? '', says: category ?? '', edits: { category } },
    {
      part: 'tags',
      was: video.tags.map(({ slug }) => slug).join(', '),
      says: tags.join(', '),
      edits: { tags },
    },
    {
      part: 'free_episodes',
      was: String(video.free_episodes),
      says: String(free_episodes),
      edits: { free_episodes },
    },
    {
      part: 'price',
      was: priceText(video.price),
      says: priceText(said),
      edits: { episode_cents, video_cents, currency },
    },
    { part: 'badge', was: video.badge ?? '', says: badge ?? '', edits: { badge } },
    { part: 'featured', was: video.featured ? 'yes' : '', says: featured ? 'yes' : '', edits: { featured } },
  ]
  const inherited: readonly string[] = video.inherited?.parts ?? []
  return all
    .filter(({ was, says }) => says !== '' && says !== was)
    .map((each) => ({ ...each, isInherited: inherited.includes(each.part) }))
}

const priceText = ({ episode_cents, video_cents, currency }: StudioVideo['price']) =>
  `${decimalOf(episode_cents)} / ${decimalOf(video_cents)} ${currency}`

/** The one edit that takes over these differences. */
export function editsOf(differences: readonly Difference[]): Edits {
  const edits: Edits = {}
  for (const { edits: one } of differences) {
    const { titles, synopses, ...rest } = one
    Object.assign(edits, rest)
    if (titles) edits.titles = { ...edits.titles, ...titles }
    if (synopses) edits.synopses = { ...edits.synopses, ...synopses }
  }
  return edits
}
