import { useQuery } from '@tanstack/react-query'
import { listJobs, runJob, type ScheduledJob } from '#contract/studio/system.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Table } from '#web/studio/ui/Table.tsx'
import { useIsNarrow } from '#web/studio/ui/use-is-narrow.ts'
import { formatTime } from '#web/studio/format.ts'
import styles from './system.module.css'

/** The jobs that have a translated name. Other jobs are shown by their technical name. */
const translatedJobs = [
  'aggregate-daily-revenue',
  'aggregate-episode-viewers',
  'aggregate-experiment-sales',
  'aggregate-favorites',
  'aggregate-funnel',
  'aggregate-plays',
  'aggregate-shares',
  'assign-search-tiers',
  'billing-janitor',
  'billing-price-changes',
  'billing-reconciliation',
  'billing-reminders',
  'billing-renewals',
  'billing-withdrawals',
  'check-health',
  'expire-bonus',
  'finish-tag-changes',
  'publish-scheduled-videos',
  'purge-abandoned-mails',
  'purge-events',
  'purge-history',
  'purge-idle-guests',
  'purge-member-sessions',
  'purge-operator-sessions',
  'purge-originals',
  'purge-plays',
  'purge-push-subscriptions',
  'purge-unpaid-orders',
  'purge-webhook-events',
  'refresh-ranks',
  'send-alerts',
  'send-conversions',
  'send-mails',
  'send-order-links',
  'send-pushes',
  'send-reset-links',
  'update-next-watched',
  'verify-aggregates',
] as const

const pollMs = 30_000
/** The polling interval while a job is requested or late: a worker starts a requested job within seconds. */
const activePollMs = 1000

/** The scheduled jobs, failing ones first. Polled more often while a job waits for a worker or is late. */
export function Jobs() {
  const { t, language } = useTexts()
  const mayRun = usePermissions()(runJob)
  const isNarrow = useIsNarrow()
  const jobs = useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => call(listJobs, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.list.some((job) => job.state === 'requested' || job.state === 'late')
        ? activePollMs
        : pollMs,
  })
  if (jobs.isLoadingError) return <LoadError onRetry={() => void jobs.refetch()} />
  if (!jobs.data) return <div className={styles.wait} aria-busy="true" />
  const columns = [
    { title: t('system.job'), cell: ({ name }: ScheduledJob) => <JobName name={name} /> },
    { title: t('system.state'), cell: (job: ScheduledJob) => <JobState job={job} /> },
    {
      title: t('system.succeeded'),
      cell: ({ succeeded_at }: ScheduledJob) => formatTime(succeeded_at, language),
    },
    ...(mayRun
      ? [
          {
            title: t('system.actions'),
            actions: true,
            cell: ({ name }: ScheduledJob) => <RunNow name={name} />,
          },
        ]
      : []),
  ]
  const table = (rows: ScheduledJob[], caption: string) => (
    <Table
      caption={caption}
      columns={columns}
      rows={rows}
      keyOf={({ name }) => name}
      empty={t('system.noJobs')}
    />
  )
  const { list } = jobs.data
  const [problems, others] = [list.filter(hasProblem), list.filter((job) => !hasProblem(job))]
  if (!isNarrow || others.length === 0) return table(list, t('system.jobs'))
  // On a phone each job is a card. The page would be very long if the jobs without problems were not collapsed.
  const summary = t('system.jobsWithoutProblems', { count: others.length })
  return (
    <>
      {problems.length > 0 && table(problems, t('system.jobs'))}
      <details className={styles.collapsed}>
        <summary>{summary}</summary>
        {table(others, summary)}
      </details>
    </>
  )
}

/** Also true for a failing job that an operator has requested again, whose state is `requested` until it runs. */
const hasProblem = ({ state, failures }: ScheduledJob) => failures > 0 || state === 'late'

/** A job's translated name, and its technical name as used on the command line. */
function JobName({ name }: { name: string }) {
  const { t } = useTexts()
  const known = translatedJobs.find((each) => each === name)
  if (!known) return <>{name}</>
  return (
    <span className={styles.job}>
      {t(`system.jobName.${known}`)} <code>{name}</code>
    </span>
  )
}

function JobState({ job: { state, failing_since, failures, last_error } }: { job: ScheduledJob }) {
  const { t, language } = useTexts()
  if (state !== 'failing') return <>{t(`system.jobState.${state}`)}</>
  return (
    <div className={styles.failure}>
      <strong>{t('system.failing', { count: failures, time: formatTime(failing_since, language) })}</strong>
      {last_error && <code>{last_error}</code>}
    </div>
  )
}

function RunNow({ name }: { name: string }) {
  const { t } = useTexts()
  const { run, busy } = useCommand(runJob, t('done.jobRequested'))
  return (
    <Button variant="quiet" disabled={busy} onClick={() => void run({ name })}>
      {t('system.run')}
      <span className="hidden-text"> {name}</span>
    </Button>
  )
}
