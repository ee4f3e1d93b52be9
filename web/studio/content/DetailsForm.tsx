import { useQuery, useQueryClient } from '@tanstack/react-query'
import { badges } from '#contract/catalog.ts'
import { planCurrencies } from '#contract/studio/plans.ts'
import {
  editVideo,
  videoLimits,
  type DeskVideo,
  type DeskVideoPage,
  type Inherited,
} from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/use-guarded-form.ts'
import { centsOf, decimalOf, nameIn } from '#web/studio/words.ts'
import { Choice } from '#web/studio/ui/Choice.tsx'
import { labelsQuery } from './queries.ts'
import styles from './content.module.css'

/** Category, tags, free episodes, prices, badge, and whether it stands in front. */
export function DetailsForm({ video }: { video: DeskVideoPage }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const labels = useQuery(labelsQuery)
  const known = {
    categories: [...(video.category ? [video.category] : []), ...(labels.data?.categories ?? [])],
    tags: [...video.tags, ...(labels.data?.tags ?? [])],
  }
  const hintOf = (list: Label[] | undefined) =>
    list?.length
      ? t('content.known', {
          names: list
            .slice(0, 8)
            .map(({ name }) => name)
            .join(', '),
        })
      : ''
  const form = useGuardedForm({
    initial: initialOf(video),
    messagesOf: (value) => ({
      ...(centsOf(value.episode_cents) ? {} : { episode_cents: t('content.priceBad') }),
      ...(centsOf(value.video_cents) ? {} : { video_cents: t('content.priceBad') }),
      ...(/^\d{1,4}$/.test(value.free_episodes) ? {} : { free_episodes: t('content.freeBad') }),
      ...(tagsOf(value.tags).length > videoLimits.tags
        ? { tags: t('content.tagsMany', { most: videoLimits.tags }) }
        : {}),
    }),
    send: async (value) => {
      const before = initialOf(video)
      const category = value.category.trim() === '' ? null : slugOf(value.category, known.categories)
      const tags = tagsOf(value.tags).map((tag) => slugOf(tag, known.tags))
      await call(editVideo, {
        body: {
          id: video.id,
          // Names of two may be the same in this language: what was not touched is not sent.
          ...(value.category === before.category ? {} : { category }),
          ...(value.tags === before.tags ? {} : { tags }),
          free_episodes: Number(value.free_episodes),
          episode_cents: centsOf(value.episode_cents) ?? 0,
          video_cents: centsOf(value.video_cents) ?? 0,
          currency: value.currency,
          badge: badges.find((badge) => badge === value.badge) ?? null,
          featured: value.featured === 'yes',
        },
      })
      void queryClient.invalidateQueries({ queryKey: ['video', video.id] })
      void queryClient.invalidateQueries({ queryKey: labelsQuery.queryKey })
      notify(t('content.saved'))
    },
  })
  return (
    <form className={styles.stack} onSubmit={form.submit} noValidate>
      {video.inherited && <TakenOver inherited={video.inherited} />}
      <div className={styles.details}>
        <Field
          {...form.field('category')}
          label={t('content.category')}
          hint={hintOf(labels.data?.categories) || t('content.categoryHint')}
          autoComplete="off"
          required={false}
        />
        <Field
          {...form.field('tags')}
          label={t('content.tags')}
          hint={hintOf(labels.data?.tags) || t('content.tagsHint')}
          autoComplete="off"
          required={false}
        />
        <Field
          {...form.field('free_episodes')}
          label={t('content.free')}
          hint={t('content.freeHint')}
          inputMode="numeric"
          autoComplete="off"
        />
        <Field
          {...form.field('episode_cents')}
          label={t('content.episodePrice')}
          inputMode="decimal"
          autoComplete="off"
        />
        <Field
          {...form.field('video_cents')}
          label={t('content.videoPrice')}
          inputMode="decimal"
          autoComplete="off"
        />
        <Choice
          label={t('content.currency')}
          value={form.value.currency}
          options={currenciesWith(video.price.currency).map((value) => ({ value, label: value }))}
          onChoose={(currency) => form.set({ currency })}
        />
        <Choice
          label={t('content.badge')}
          hint={t('content.badgeHint')}
          value={form.value.badge}
          options={[
            { value: '', label: t('content.noBadge') },
            ...badges.map((badge) => ({ value: badge, label: t(`content.badges.${badge}`) })),
          ]}
          onChoose={(badge) => form.set({ badge })}
        />
        <Choice
          label={t('content.featured')}
          value={form.value.featured}
          hint={t('content.featuredHint')}
          options={(['yes', 'no'] as const).map((each) => ({ value: each, label: t(`content.${each}`) }))}
          onChoose={(featured) => form.set({ featured })}
        />
      </div>
      <Button type="submit" disabled={form.busy}>
        {t('content.saveDetails')}
      </Button>
    </form>
  )
}

/** Where a new draft has its prices and free episodes from. */
function TakenOver({ inherited: { parts, from } }: { inherited: Inherited }) {
  const { t, language } = useTexts()
  const what = parts.map((part) => t(`content.takenOverParts.${part}`)).join(', ')
  return (
    <p className={styles.quiet}>
      {from
        ? t('content.takenOver', { what, title: nameIn(from, language) })
        : t('content.takenOverFirst', { what })}
    </p>
  )
}

/** What a plan may be sold in, and what this video is sold in already. */
const currenciesWith = (own: string) => [...new Set([own, ...planCurrencies])]

interface Label {
  slug: string
  name: string
}

/** What is known by a name in the operator's language goes by its slug; anything else is made. */
function slugOf(typed: string, labels: readonly Label[]): string {
  const name = typed.trim()
  return labels.find((label) => label.name.toLowerCase() === name.toLowerCase())?.slug ?? name
}

const initialOf = ({ category, tags, price, badge, featured, free_episodes }: DeskVideo) => ({
  category: category?.name ?? '',
  tags: tags.map(({ name }) => name).join(', '),
  free_episodes: String(free_episodes),
  episode_cents: decimalOf(price.episode_cents),
  video_cents: decimalOf(price.video_cents),
  currency: price.currency,
  badge: badge ?? '',
  featured: featured ? 'yes' : 'no',
})

const tagsOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
