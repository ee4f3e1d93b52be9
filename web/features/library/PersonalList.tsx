import { useState, type ReactNode } from 'react'
import { Link, NavLink } from 'react-router'
import type { VideoCard } from '#contract/catalog.ts'
import { Cover } from '#web/features/catalog/Card.tsx'
import { EmptyList } from '#web/features/catalog/SuggestedDramas.tsx'
import { SignInAgain } from '#web/features/members/forms/SignInAgain.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { ListFooter, type PaginatedQuery } from '#web/ui/ListFooter.tsx'
import { SwipeCell } from '#web/ui/SwipeCell.tsx'
import styles from './personal-list.module.css'

/** One entry of a list: a video with notes about it. */
export interface LibraryEntry {
  key: string
  video: VideoCard
  episode?: number
  notes: string[]
  /** Fraction of the episode that was watched, 0 to 1. */
  watched?: number
}

interface PersonalListProps {
  title: string
  empty: string
  pages: PaginatedQuery & { isPending: boolean }
  entries: LibraryEntry[]
  onRemove: (videoIds: string[]) => void
}

/** A list of the library, newest first. A swipe removes one entry; edit mode removes several. */
export function PersonalList({ title, empty, pages, entries, onRemove }: PersonalListProps) {
  const { t } = useTranslation()
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string> | null>(null)
  const toggle = (id: string) => setSelectedIds((before) => withToggled(before ?? new Set(), id))
  const remove = (ids: string[]) => {
    onRemove(ids)
    setSelectedIds(null)
  }
  return (
    <section className={styles.list}>
      <title>{title}</title>
      <div className={styles.head}>
        <h1>{title}</h1>
        {entries.length > 0 && (
          <Button variant="quiet" onClick={() => setSelectedIds(selectedIds ? null : new Set())}>
            {selectedIds ? t('lists.done') : t('lists.edit')}
          </Button>
        )}
      </div>
      <LibraryNav />
      {pages.isPending && <Skeleton />}
      <ul className={styles.lines} aria-label={title}>
        {entries.map((line) => (
          <li key={line.key}>
            {selectedIds ? (
              <label className={styles.choice}>
                <input
                  type="checkbox"
                  checked={selectedIds.has(line.video.id)}
                  onChange={() => toggle(line.video.id)}
                />
                <Row line={line} />
              </label>
            ) : (
              <SwipeCell action={<RemoveButton line={line} onRemove={() => remove([line.video.id])} />}>
                <Link className={styles.link} to={paths.video.to(line.video.id, line.episode)}>
                  <Row line={line} />
                </Link>
              </SwipeCell>
            )}
          </li>
        ))}
      </ul>
      <ListFooter pages={pages} empty={<EmptyList text={empty} />} signIn={<SignInAgain />} />
      {selectedIds && (
        <EditBar
          count={selectedIds.size}
          onAll={() => setSelectedIds(new Set(entries.map(({ video }) => video.id)))}
          onRemove={() => remove([...selectedIds])}
        />
      )}
    </section>
  )
}

/** Links between the three lists of the library. */
function LibraryNav() {
  const { t } = useTranslation()
  return (
    <nav className={styles.nav} aria-label={t('site.library')}>
      <NavLink to={paths.history.to()}>{t('menu.history')}</NavLink>
      <NavLink to={paths.favorites.to()}>{t('menu.favorites')}</NavLink>
      <NavLink to={paths.unlocked.to()}>{t('menu.unlocked')}</NavLink>
    </nav>
  )
}

function withToggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen)
  if (!next.delete(id)) next.add(id)
  return next
}

function Row({ line: { video, notes, watched } }: { line: LibraryEntry }): ReactNode {
  return (
    <span className={styles.row}>
      <span className={styles.poster}>
        <Cover video={video} />
        {watched !== undefined && <progress max={1} value={watched} aria-hidden="true" />}
      </span>
      <span className={styles.words}>
        <span className={styles.title}>{video.title}</span>
        {notes.map((note) => (
          <span key={note} className={styles.note}>
            {note}
          </span>
        ))}
      </span>
    </span>
  )
}

function RemoveButton({ line, onRemove }: { line: LibraryEntry; onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <button
      type="button"
      className={styles.remove}
      onClick={onRemove}
      aria-label={t('lists.removeOne', { title: line.video.title })}
    >
      {t('lists.remove')}
    </button>
  )
}

function EditBar(props: { count: number; onAll: () => void; onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={styles.bar}>
      <span aria-live="polite">{t('lists.selected', { count: props.count })}</span>
      <Button variant="quiet" onClick={props.onAll}>
        {t('lists.selectAll')}
      </Button>
      <Button onClick={props.onRemove} disabled={props.count === 0}>
        {t('lists.remove')}
      </Button>
    </div>
  )
}

function Skeleton() {
  const { t } = useTranslation()
  return (
    <ul className={styles.lines} role="status" aria-label={t('list.loading')}>
      {Array.from({ length: 6 }, (_, i) => (
        <li key={i} aria-hidden="true">
          <span className={styles.row}>
            <span className={styles.poster} />
            <span className={styles.words}>
              <span className={styles.title} />
              <span className={styles.note} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}
