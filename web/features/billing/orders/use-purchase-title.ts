import { useQuery } from '@tanstack/react-query'
import type { Order } from '#contract/billing.ts'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { episodesQuery } from '#web/features/media/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { plansQuery } from '#web/features/billing/payments/queries.ts'

/** Returns the title of the purchased item, or the kind of purchase if the item is no longer available. */
export function usePurchaseTitle({ kind, plan_id, video_id, episode_id }: Order): string {
  const { t } = useTranslation()
  const plans = useQuery({ ...plansQuery, enabled: kind === 'plan' }).data
  const video = useQuery({ ...videoQuery(video_id ?? ''), enabled: video_id !== undefined }).data
  const episodes = useQuery({ ...episodesQuery(video_id ?? ''), enabled: kind === 'episode' }).data
  const title = video?.title
  const number = episodes?.find(({ id }) => id === episode_id)?.number
  if (kind === 'plan') {
    const name = plans?.list.find(({ id }) => id === plan_id)?.name
    return name ? `${t('orders.plan')}: ${name}` : t('orders.plan')
  }
  if (kind === 'top_up') return t('orders.topUp')
  if (kind === 'episode')
    return title && number ? t('orders.episodeOf', { title, number }) : t('orders.episode')
  return title ? t('orders.videoOf', { title }) : t('orders.video')
}
