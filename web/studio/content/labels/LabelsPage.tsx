import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { languages } from '#contract/languages.ts'
import { changeTag, reorderCategories, type StudioLabel, type StudioTag } from '#contract/studio/labels.ts'
import { languageNames } from '#web/lib/language.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { SortableList } from '#web/studio/ui/SortableList.tsx'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { Table, type Column } from '#web/studio/ui/Table.tsx'
import { useOptimisticOrder } from '#web/studio/ui/use-optimistic-order.ts'
import { formatCount, localizedName } from '#web/studio/format.ts'
import { ContentTabs } from '#web/studio/content/ContentTabs.tsx'
import { LabelActions } from './LabelActions.tsx'
import type { LabelProps } from './label-props.ts'
import { categoriesQuery, isEditable, tagsQuery } from '#web/studio/content/queries.ts'
import { SearchField } from '#web/studio/content/SearchField.tsx'
import styles from '#web/studio/content/content.module.css'

/**
 * The page of the categories, in their order, and of the tags, the most used first. Each is shown with its names in all
 * languages.
 */
export function LabelsPage() {
  const { t } = useTexts()
  return (
    <Page title={t('labels.title')} lead={t('labels.lead')}>
      <ContentTabs />
      <Panel title={t('labels.categories')}>
        <Categories />
      </Panel>
      <Panel title={t('labels.tags')}>
        <Tags />
      </Panel>
    </Page>
  )
}

function Categories() {
  const { t, language } = useTexts()
  const mayOrder = usePermissions()(reorderCategories)
  const { run } = useCommand(reorderCategories, null)
  const categories = useQuery(categoriesQuery)
  // The server rejects the order if another operator has added a category meanwhile. The refetch then shows that
  // category.
  const { ordered, order } = useOptimisticOrder(categories.data?.list ?? [], idOf, async (list) => {
    await run({ ids: list.map(idOf) })
    await categories.refetch()
  })
  if (categories.isLoadingError) return <LoadError onRetry={() => void categories.refetch()} />
  if (!categories.data) return <div className={styles.wait} aria-busy="true" />
  const { list } = categories.data
  if (list.length === 0) return <p className={styles.empty}>{t('labels.noCategories')}</p>
  if (!mayOrder)
    return (
      <Table caption={t('labels.categories')} columns={nameColumns} rows={list} keyOf={idOf} empty={null} />
    )
  return (
    <>
      <p className={styles.quiet}>{t('labels.categoriesLead')}</p>
      <SortableList
        items={ordered}
        keyOf={idOf}
        nameOf={({ names }) => localizedName(names, language)}
        onOrder={order}
      >
        {(category) => (
          <div className={styles.label}>
            <LabelNames of={category} />
            <EditableLabelActions kind="category" label={category} />
          </div>
        )}
      </SortableList>
    </>
  )
}

/** A label's names in all languages, side by side. */
function LabelNames({ of: { names } }: { of: StudioLabel }) {
  return (
    <dl className={styles.names}>
      {languages.map((language) => (
        <div key={language}>
          <dt>{languageNames[language]}</dt>
          <dd>{names[language] ?? '–'}</dd>
        </div>
      ))}
    </dl>
  )
}

const idOf = ({ id }: StudioLabel) => id

const nameColumns: Column<StudioLabel>[] = languages.map((language) => ({
  title: languageNames[language],
  cell: ({ names }) => names[language] ?? '–',
}))

type EditableLabelProps = LabelProps & { label: Pick<StudioTag, 'running_task'> }

/** The actions for a tag or category. A label that is being merged or deleted shows that state instead. */
function EditableLabelActions({ kind, label }: EditableLabelProps) {
  const { t } = useTexts()
  const { running_task: task } = label
  return (
    <>
      {task && <p role="status">{t(`labels.progress.${task}`)}</p>}
      {isEditable(label) && <LabelActions kind={kind} label={label} />}
    </>
  )
}

function Tags() {
  const { t } = useTexts()
  const mayChange = usePermissions()(changeTag)
  const [keyword, setKeyword] = useState('')
  // During a search the previous table stays, so that a sheet that was opened from a row stays open.
  const tags = useInfiniteQuery({ ...tagsQuery(keyword), placeholderData: keepPreviousData })
  const columns: Column<StudioTag>[] = [
    ...nameColumns,
    {
      title: t('labels.publishedVideos'),
      cell: ({ video_count }) => formatCount(video_count),
      figures: true,
    },
    ...(mayChange
      ? [
          {
            title: t('labels.actions'),
            actions: true,
            cell: (tag: StudioTag) => <EditableLabelActions kind="tag" label={tag} />,
          },
        ]
      : []),
  ]
  return (
    <>
      <search>
        <SearchField label={t('labels.search')} value={keyword} onSearch={setKeyword} />
      </search>
      {tags.isPending && <div className={styles.wait} aria-busy="true" />}
      {tags.data && (
        <Table
          caption={t('labels.tags')}
          columns={columns}
          rows={tags.data.pages.flatMap(({ list }) => list)}
          keyOf={idOf}
          empty={t(keyword ? 'labels.noMatches' : 'labels.noTags')}
        />
      )}
      <ListFooter pages={tags} empty={null} />
    </>
  )
}
