import { useInfiniteQuery } from '@tanstack/react-query'
import { saveHistory, type HistoryEntry } from '#contract/library.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { formatClock, formatLongDate } from '#web/lib/format.ts'
import { PersonalList, type LibraryEntry } from './PersonalList.tsx'
import { historyQuery } from './queries.ts'
import { useRemoveEntries } from './use-remove-entries.ts'

/** The list of watched or of unlocked videos, newest first. */
export function History({ kind }: { kind: 'watched' | 'unlocked' }) {
  const { t } = useTranslation()
  const query = historyQuery(kind)
  const pages = useInfiniteQuery(query)
  const remove = useRemoveEntries<HistoryEntry>(
    query.queryKey,
    ({ video }) => video.id,
    (ids) => call(saveHistory, { body: { remove: ids, kind } }),
  )
  const watched = ({ episode, position_ms }: HistoryEntry) => ({
    notes: [
      [t('lists.episode', { number: episode.number }), episode.title].filter(Boolean).join(' · '),
      t('lists.stoppedAt', { time: formatClock(position_ms) }),
    ],
    watched: episode.duration_ms ? Math.min(1, position_ms / episode.duration_ms) : 0,
  })
  const unlocked = ({ episode, source, at }: HistoryEntry) => ({
    notes: [
      t('lists.episode', { number: episode.number }),
      `${t(`lists.${source ?? 'purchase'}`)} · ${t('lists.since', { date: formatLongDate(at) })}`,
    ],
  })
  const lines = (pages.data?.pages ?? []).flatMap(({ list }) =>
    list.map((entry): LibraryEntry => ({
      key: `${entry.video.id} ${entry.episode.id} ${entry.at}`,
      video: entry.video,
      episode: entry.episode.number,
      ...(kind === 'watched' ? watched(entry) : unlocked(entry)),
    })),
  )
  return (
    <PersonalList
      title={t(kind === 'watched' ? 'menu.history' : 'menu.unlocked')}
      empty={t(kind === 'watched' ? 'lists.historyEmpty' : 'lists.unlockedEmpty')}
      pages={pages}
      entries={lines}
      onRemove={remove}
    />
  )
}
