import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { badges } from '#contract/catalog.ts'
import { priceWarningsOf, type VideoWarning } from '#contract/studio/video-warnings.ts'
import { editVideo, videoLimits, type StudioVideo, type StudioVideoPage } from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { parseCents, formatCents } from '#web/studio/format.ts'
import { labelsQuery } from '#web/studio/content/queries.ts'

/** Manages the form of a video's details. Also returns the existing categories and tags. */
export function useDetailsForm(video: StudioVideoPage) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const labels = useQuery(labelsQuery).data
  const [warningsToConfirm, setWarningsToConfirm] = useState<VideoWarning[] | null>(null)
  const isConfirmed = useRef(false)
  const form = useGuardedForm({
    initial: initialOf(video),
    validate: (value) => ({
      ...(parseCents(value.episode_cents) ? {} : { episode_cents: t('content.priceInvalid') }),
      ...(parseCents(value.video_cents) ? {} : { video_cents: t('content.priceInvalid') }),
      ...(/^\d{1,4}$/.test(value.free_episodes) ? {} : { free_episodes: t('content.freeInvalid') }),
      ...(tagsOf(value.tags).length > videoLimits.tags
        ? { tags: t('content.tooManyTags', { max: videoLimits.tags }) }
        : {}),
    }),
    send: async (value) => {
      const odd = priceWarningsOf({ ...pricesOf(value), episode_count: video.episode_count })
      const isNew = odd.filter((warning) => !video.warnings.includes(warning))
      // Viewers would see an unusual price at once, so the operator must confirm new warnings.
      if (video.state === 'published' && isNew.length > 0 && !isConfirmed.current) {
        setWarningsToConfirm(isNew)
        return false
      }
      isConfirmed.current = false
      await call(editVideo, { body: editOf(video, value, labels) })
      void queryClient.invalidateQueries({ queryKey: ['video', video.id] })
      void queryClient.invalidateQueries({ queryKey: labelsQuery.queryKey })
      notify(t('content.saved'))
      return true
    },
  })
  return {
    form,
    labels,
    /** Warnings about the prices that are currently in the form. */
    warnings: priceWarningsOf({ ...pricesOf(form.value), episode_count: video.episode_count }),
    /** New price warnings that the operator must confirm before a published video is saved; null if there are none. */
    asks: warningsToConfirm,
    saveAnyway: () => {
      isConfirmed.current = true
      setWarningsToConfirm(null)
      form.submit()
    },
    changeFirst: () => setWarningsToConfirm(null),
  }
}

interface Label {
  slug: string
  name: string
}

interface Labels {
  categories: readonly Label[]
  tags: readonly Label[]
}

type Value = ReturnType<typeof initialOf>

function editOf(video: StudioVideoPage, value: Value, labels: Labels | undefined) {
  const before = initialOf(video)
  const categories = [...(video.category ? [video.category] : []), ...(labels?.categories ?? [])]
  const tags = [...video.tags, ...(labels?.tags ?? [])]
  const category = value.category.trim() === '' ? null : slugOf(value.category, categories)
  return {
    id: video.id,
    // Unchanged labels are not sent: they are matched by name, and two labels may have the same name in this language.
    ...(value.category === before.category ? {} : { category }),
    ...(value.tags === before.tags ? {} : { tags: tagsOf(value.tags).map((tag) => slugOf(tag, tags)) }),
    ...pricesOf(value),
    currency: value.currency,
    badge: badges.find((badge) => badge === value.badge) ?? null,
    featured: value.featured === 'yes',
  }
}

const pricesOf = (value: Pick<Value, 'free_episodes' | 'episode_cents' | 'video_cents'>) => ({
  free_episodes: Number(value.free_episodes),
  episode_cents: parseCents(value.episode_cents) ?? 0,
  video_cents: parseCents(value.video_cents) ?? 0,
})

/**
 * Returns the slug of the label with this name in the operator's language. For a new name, returns the name, and the
 * server creates a label.
 */
function slugOf(typed: string, labels: readonly Label[]): string {
  const name = typed.trim()
  return labels.find((label) => label.name.toLowerCase() === name.toLowerCase())?.slug ?? name
}

const initialOf = ({ category, tags, price, badge, featured, free_episodes }: StudioVideo) => ({
  category: category?.name ?? '',
  tags: tags.map(({ name }) => name).join(', '),
  free_episodes: String(free_episodes),
  episode_cents: formatCents(price.episode_cents),
  video_cents: formatCents(price.video_cents),
  currency: price.currency,
  badge: badge ?? '',
  featured: featured ? 'yes' : 'no',
})

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
