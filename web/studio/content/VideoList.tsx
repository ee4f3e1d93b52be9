import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { addVideo, videoStates, type StudioVideoRow } from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { FormSheet } from '#web/studio/ui/sheets/FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { useNavigateDiscarding } from '#web/studio/ui/unsaved/use-unsaved.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { Page } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatCount, formatTime } from '#web/studio/format.ts'
import { ContentTabs } from './ContentTabs.tsx'
import { videosQuery } from './queries.ts'
import { SearchField } from './SearchField.tsx'
import styles from './content.module.css'

/** The videos of every status. The filters by title and status are stored in the URL. */
export function VideoList() {
  const { t, language } = useTexts()
  const isAllowed = usePermissions()
  const [search, setSearch] = useSearchParams()
  const [isAdding, setAdding] = useState(false)
  const keyword = search.get('q') ?? ''
  const state = videoStates.find((each) => each === search.get('state'))
  const videos = useInfiniteQuery({
    ...videosQuery(keyword, state),
    // During a new search, the previous results stay.
    placeholderData: keepPreviousData,
  })
  const updateSearchParams = (changes: Record<string, string>) =>
    setSearch(
      (old) => Object.entries({ ...Object.fromEntries(old), ...changes }).filter(([, value]) => value !== ''),
      { replace: true },
    )
  const columns = [
    { title: t('content.video'), cell: (row: StudioVideoRow) => <Title row={row} /> },
    { title: t('content.state'), cell: (row: StudioVideoRow) => t(`content.states.${row.state}`) },
    { title: t('content.episodes'), cell: (row: StudioVideoRow) => episodeSummary(row, t), figures: true },
    { title: t('content.plays'), cell: (row: StudioVideoRow) => formatCount(row.play_count), figures: true },
    {
      title: t('content.released'),
      cell: ({ released_at }: StudioVideoRow) => formatTime(released_at, language),
    },
  ]
  return (
    <Page
      title={t('content.title')}
      lead={t('content.lead')}
      actions={isAllowed(addVideo) && <Button onClick={() => setAdding(true)}>{t('content.add')}</Button>}
    >
      <ContentTabs />
      <search className={styles.filters}>
        <SearchField
          label={t('content.search')}
          value={keyword}
          onSearch={(q) => updateSearchParams({ q })}
        />
        <SelectField
          label={t('content.state')}
          value={state ?? ''}
          options={[
            { value: '', label: t('content.all') },
            ...videoStates.map((each) => ({ value: each, label: t(`content.states.${each}`) })),
          ]}
          onChoose={(chosen) => updateSearchParams({ state: chosen })}
        />
      </search>
      {videos.isPending && <div className={styles.wait} aria-busy="true" />}
      {videos.data && (
        <Table
          caption={t('content.title')}
          columns={columns}
          rows={videos.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t(keyword || state ? 'content.noMatches' : 'content.noVideos')}
        />
      )}
      <ListFooter pages={videos} empty={null} />
      {isAdding && <AddVideoSheet onClose={() => setAdding(false)} />}
    </Page>
  )
}

function Title({ row: { id, title, cover_url, cover_color } }: { row: StudioVideoRow }) {
  return (
    <Link to={id} className={styles.titleLink}>
      <span className={styles.smallCover} style={{ background: cover_color }}>
        {cover_url && <img src={cover_url} alt="" loading="lazy" width={36} height={48} />}
      </span>
      {title}
    </Link>
  )
}

function episodeSummary({ episode_count, progress, failed_count }: StudioVideoRow, t: Translate): string {
  return [
    String(episode_count),
    ...(progress === null ? [] : [t('content.percentProcessed', { percent: progress })]),
    ...(failed_count === 0 ? [] : [t('content.failedCount', { count: failed_count })]),
  ].join(' · ')
}

/** Creates a draft with a title; all other values are edited on the page of the video. */
function AddVideoSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTexts()
  const leaveTo = useNavigateDiscarding()
  const form = useGuardedForm({
    initial: { title: '' },
    validate: ({ title }) => (title.trim() === '' ? { title: t('content.titleMissing') } : {}),
    fieldOf: () => 'title',
    send: async ({ title }) => {
      const { id } = await call(addVideo, { body: { title } })
      leaveTo(id)
    },
  })
  return (
    <FormSheet title={t('content.add')} form={form} action={t('content.createDraft')} onClose={onClose}>
      <Field
        {...form.field('title')}
        label={t('content.titleInEnglish')}
        hint={t('content.addHint')}
        autoComplete="off"
        autoFocus
      />
    </FormSheet>
  )
}
