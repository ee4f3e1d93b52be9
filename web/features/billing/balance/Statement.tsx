import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import type { BalanceEntry } from '#contract/balance.ts'
import { balanceEntriesQuery } from '#web/features/billing/payments/balance-queries.ts'
import { videoQuery } from '#web/features/catalog/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { money } from '#web/lib/format-money.ts'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import styles from './balance-section.module.css'

/** The credits and debits of the balance, newest first, paginated. */
export function Statement() {
  const { t } = useTranslation()
  const pages = useInfiniteQuery(balanceEntriesQuery)
  return (
    <>
      <ul aria-busy={pages.isLoading}>
        {pages.data?.pages.map(({ list }, page) =>
          list.map((entry) => <StatementRow key={entry.id} entry={entry} isOnFirstPage={page === 0} />),
        )}
      </ul>
      <ListFooter pages={pages} empty={<p>{t('balance.noEntries')}</p>} />
    </>
  )
}

function StatementRow({ entry, isOnFirstPage }: { entry: BalanceEntry; isOnFirstPage: boolean }) {
  const { t } = useTranslation()
  const { kind, currency, amount_cents, bonus_cents, at, video_id, episode_number: number } = entry
  const { data: video, isLoading } = useQuery({
    ...videoQuery(video_id ?? ''),
    enabled: video_id !== undefined,
  })
  const title = video?.title
  const purchaseTitle = title && number !== undefined ? t('balance.episodeOf', { title, number }) : title
  return (
    // The member area hides everything after a busy element. So only rows of the first page are marked as busy, not
    // those that the user has loaded with "more".
    <li className={styles.line} aria-busy={isLoading && isOnFirstPage}>
      <div>
        <p className={styles.name}>
          {[t(`balance.entry.${kind}`), purchaseTitle].filter(Boolean).join(': ')}
        </p>
        <p>
          {formatLongDate(at)}
          {bonus_cents !== 0 && ` · ${t('balance.bonusShare', { amount: money(bonus_cents, currency) })}`}
        </p>
      </div>
      <p className={styles.amount}>
        {amount_cents > 0 && '+'}
        {money(amount_cents, currency)}
      </p>
    </li>
  )
}
