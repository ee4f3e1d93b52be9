import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listLinks, type Link } from '#contract/studio/links.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/money.ts'
import { Button } from '#web/ui/Button.tsx'
import { ListFoot } from '#web/ui/ListFoot.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { countWords, dateWords } from '#web/studio/words.ts'
import { LinkSheet } from './LinkSheet.tsx'

/** The links that were made, who came by each, and what was sold by it. */
export function Links() {
  const { t, language } = useTexts()
  const [shown, setShown] = useState<Link | null>(null)
  const links = useInfiniteQuery({
    queryKey: ['growth', 'links'],
    queryFn: ({ pageParam, signal }) =>
      call(listLinks, { query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const amounts = (link: Link, field: 'gross_cents' | 'refunded_cents') =>
    link.sales.map((sales) => money(sales[field], sales.currency)).join(' + ') || '–'
  const columns = [
    { title: t('growth.linkName'), cell: ({ name }: Link) => name },
    {
      title: t('growth.target'),
      cell: ({ title, episode }: Link) => t('growth.episode', { title, number: episode }),
    },
    { title: t('growth.made'), cell: ({ created_at }: Link) => dateWords(created_at, language) },
    ...(['visits', 'plays', 'paywalls'] as const).map((field) => ({
      title: t(`growth.${field}`),
      figures: true,
      cell: (link: Link) => countWords(link[field]),
    })),
    {
      title: t('growth.paid'),
      figures: true,
      cell: ({ sales }: Link) => countWords(sales.reduce((sum, { paid }) => sum + paid, 0)),
    },
    { title: t('growth.gross'), figures: true, cell: (link: Link) => amounts(link, 'gross_cents') },
    { title: t('growth.refunded'), figures: true, cell: (link: Link) => amounts(link, 'refunded_cents') },
    {
      title: t('growth.showLink'),
      deeds: true,
      cell: (link: Link) => (
        <Button
          look="quiet"
          aria-label={t('growth.showLinkOf', { name: link.name })}
          onClick={() => setShown(link)}
        >
          {t('growth.showLink')}
        </Button>
      ),
    },
  ]
  return (
    <>
      {links.data && (
        <Table
          caption={t('growth.links')}
          columns={columns}
          rows={links.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t('growth.noLinks')}
        />
      )}
      <ListFoot pages={links} empty={null} />
      {shown && <LinkSheet link={shown} onClose={() => setShown(null)} />}
    </>
  )
}
