import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { createExperiment, listExperiments, type Experiment } from '#contract/studio/experiments.ts'
import { call } from '#web/lib/api.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { ListFooter } from '#web/ui/ListFooter.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { ExperimentForm } from './ExperimentForm.tsx'

/** The experiments, newest first. */
export function ExperimentList() {
  const { t, language } = useTexts()
  const isAllowed = usePermissions()
  const found = useInfiniteQuery({
    queryKey: ['experiments'],
    queryFn: ({ pageParam, signal }) =>
      call(listExperiments, { query: pageParam ? { cursor: pageParam } : {}, signal }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
  const columns = [
    {
      title: t('experiments.name'),
      cell: ({ id, name }: Experiment) => <PageLink to={`/studio/experiments/${id}`}>{name}</PageLink>,
    },
    { title: t('experiments.kind'), cell: ({ kind }: Experiment) => t(`experiments.kinds.${kind}`) },
    {
      title: t('experiments.scope'),
      cell: ({ target_name }: Experiment) => target_name ?? t('experiments.wholeSite'),
    },
    { title: t('experiments.state'), cell: ({ state }: Experiment) => t(`experiments.states.${state}`) },
    {
      title: t('experiments.started'),
      cell: ({ started_at }: Experiment) => formatTime(started_at, language),
    },
  ]
  return (
    <Page
      title={t('experiments.title')}
      lead={t('experiments.lead')}
      actions={
        isAllowed(createExperiment) && (
          <Link className={buttonClass('main')} to="/studio/experiments/new">
            {t('experiments.add')}
          </Link>
        )
      }
    >
      {found.data && (
        <Table
          caption={t('experiments.title')}
          columns={columns}
          rows={found.data.pages.flatMap(({ list }) => list)}
          keyOf={({ id }) => id}
          empty={t('experiments.none')}
        />
      )}
      <ListFooter pages={found} empty={null} />
    </Page>
  )
}

/** Form for a new experiment. */
export function NewExperiment() {
  const { t } = useTexts()
  return (
    <Page
      title={t('experiments.add')}
      lead={<PageLink to="/studio/experiments">{t('experiments.all')}</PageLink>}
    >
      <ExperimentForm />
    </Page>
  )
}
