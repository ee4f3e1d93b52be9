import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listLinks, type CampaignLink } from '#contract/studio/campaign-links.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { Button } from '#web/ui/Button.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatCount, formatDate } from '#web/studio/format.ts'
import { CampaignLinkSheet } from './CampaignLinkSheet.tsx'
import { PeriodText } from './PeriodText.tsx'

/** The campaign links, with the visits and sales of each. */
export function CampaignLinks({ days }: { days: number }) {
  const { t, language } = useTexts()
  const [openLink, setOpenLink] = useState<CampaignLink | null>(null)
  const links = useInfiniteQuery({
    queryKey: ['analytics', 'links', days],
    queryFn: ({ pageParam, signal }) =>
      call(listLinks, { query: { days, ...(pageParam ? { cursor: pageParam } : {}) }, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
  })
  const net = (view: 'sale_revenue' | 'revenue') => (link: CampaignLink) =>
    link[view].map(({ net_cents, currency }) => money(net_cents, currency)).join(' + ') || '–'
  const columns = [
    { title: t('analytics.linkName'), cell: ({ name }: CampaignLink) => name },
    {
      title: t('analytics.target'),
      cell: ({ title, episode }: CampaignLink) => t('analytics.episode', { title, number: episode }),
    },
    {
      title: t('analytics.created'),
      cell: ({ created_at }: CampaignLink) => formatDate(created_at, language),
    },
    ...(['visits', 'plays', 'paywalls', 'paid'] as const).map((field) => ({
      title: t(`analytics.${field}`),
      figures: true,
      cell: (link: CampaignLink) => formatCount(link[field]),
    })),
    { title: t('analytics.netFirstPayment'), figures: true, cell: net('sale_revenue') },
    { title: t('analytics.netLifetime'), figures: true, cell: net('revenue') },
    {
      title: t('analytics.showLink'),
      actions: true,
      cell: (link: CampaignLink) => (
        <Button
          variant="quiet"
          aria-label={t('analytics.showLinkOf', { name: link.name })}
          onClick={() => setOpenLink(link)}
        >
          {t('analytics.showLink')}
        </Button>
      ),
    },
  ]
  return (
    <>
      <PeriodText of={links.data?.pages[0]} />
      {links.data && (
        <Table
          caption={t('analytics.links')}
          columns={columns}
          rows={links.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t('analytics.noLinks')}
        />
      )}
      <ListFooter pages={links} empty={null} />
      {openLink && <CampaignLinkSheet link={openLink} onClose={() => setOpenLink(null)} />}
    </>
  )
}
