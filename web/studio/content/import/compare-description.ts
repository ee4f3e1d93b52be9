import type { BodyOf } from '#contract/endpoint.ts'
import { languages, type Language } from '#contract/languages.ts'
import type { VideoDescription } from '#contract/studio/video-descriptions.ts'
import type { StudioVideo, StudioVideoPage, editVideo } from '#contract/studio/videos.ts'
import { formatCents } from '#web/studio/format.ts'

type Edits = Omit<BodyOf<typeof editVideo>, 'id'>

/** A difference between a `video.yaml` and the video's page. */
export interface DescriptionDifference {
  part: 'titles' | 'synopses' | 'category' | 'tags' | 'free_episodes' | 'price' | 'badge' | 'featured'
  /** The language of a text. */
  language?: Language
  /** The current value of the video. Empty if it has none; the import then overwrites nothing. */
  was: string
  says: string
  /** True if the current value is a default that the draft inherited from the previous video. */
  isInherited: boolean
  edits: Edits
}

/** Returns the differences between a description and a video, without values that are missing in the description. */
export function compareDescription(
  parsed: VideoDescription,
  video: StudioVideoPage,
): DescriptionDifference[] {
  const texts = (part: 'titles' | 'synopses') =>
    languages.map((language) => {
      const says = parsed[part][language] ?? ''
      return {
        part,
        language,
        was: video[part][language] ?? '',
        says,
        edits: { [part]: { [language]: says } },
      }
    })
  const { category, tags, badge, featured, free_episodes, episode_cents, video_cents, currency } = parsed
  const all: Omit<DescriptionDifference, 'isInherited'>[] = [
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
      says: priceText(parsed),
      edits: { episode_cents, video_cents, currency },
    },
    { part: 'badge', was: video.badge ?? '', says: badge ?? '', edits: { badge } },
    { part: 'featured', was: video.featured ? 'yes' : '', says: featured ? 'yes' : '', edits: { featured } },
  ]
  const inherited: readonly string[] = video.inherited?.fields ?? []
  return all
    .filter(({ was, says }) => says !== '' && says !== was)
    .map((each) => ({ ...each, isInherited: inherited.includes(each.part) }))
}

const priceText = ({ episode_cents, video_cents, currency }: StudioVideo['price']) =>
  `${formatCents(episode_cents)} / ${formatCents(video_cents)} ${currency}`

/** Merges the selected differences into one edit. */
export function editsOf(differences: readonly DescriptionDifference[]): Edits {
  const edits: Edits = {}
  for (const { edits: one } of differences) {
    const { titles, synopses, ...rest } = one
    Object.assign(edits, rest)
    if (titles) edits.titles = { ...edits.titles, ...titles }
    if (synopses) edits.synopses = { ...edits.synopses, ...synopses }
  }
  return edits
}
