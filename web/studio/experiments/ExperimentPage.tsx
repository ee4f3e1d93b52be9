import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  changeExperiment,
  showExperiment,
  startExperiment,
  stopExperiment,
  type Experiment,
  type ExperimentResult,
} from '#contract/studio/experiments.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { NotFound } from '#web/studio/NotFound.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { DescriptionList } from '#web/studio/ui/DescriptionList.tsx'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { formatTime } from '#web/studio/format.ts'
import { ExperimentForm } from './ExperimentForm.tsx'
import { variantLetter } from './draft-values.ts'
import { ExperimentResults } from './ExperimentResults.tsx'
import styles from './experiment-list.module.css'

/** The page of one experiment: its definition, actions and results. */
export function ExperimentPage({ id }: { id: string }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const found = useQuery({
    queryKey: ['experiments', id],
    queryFn: ({ signal }) => call(showExperiment, { query: { id }, signal }),
  })
  if (found.error instanceof ApiError && found.error.code === 404) return <NotFound />
  const experiment = found.data?.experiment
  return (
    <Page
      title={experiment?.name ?? t('experiments.title')}
      lead={<PageLink to="/studio/experiments">{t('experiments.all')}</PageLink>}
      actions={experiment && <StartStopButton experiment={experiment} />}
    >
      {found.isLoadingError ? (
        <LoadError onRetry={() => void found.refetch()} />
      ) : found.data ? (
        <>
          <Summary experiment={found.data.experiment} />
          <VariantWarnings warnings={found.data.warnings} />
          {found.data.experiment.state !== 'draft' ? (
            <ExperimentResults result={found.data} />
          ) : (
            isAllowed(changeExperiment) && (
              <Panel title={t('experiments.editDraft')}>
                <ExperimentForm experiment={found.data.experiment} />
              </Panel>
            )
          )}
        </>
      ) : (
        <div className={styles.wait} aria-busy="true" />
      )}
    </Page>
  )
}

/** Warnings about the prices of a draft. */
function VariantWarnings({ warnings }: Pick<ExperimentResult, 'warnings'>) {
  const { t } = useTexts()
  if (warnings.length === 0) return null
  return (
    <div role="status">
      {warnings.map(({ variant, warning }) => (
        <p key={`${variant} ${warning}`} className={styles.warning}>
          {t('experiments.warning', {
            variant: variantLetter(variant),
            warning: t(`content.warning.${warning}`),
          })}
        </p>
      ))}
    </div>
  )
}

function Summary({ experiment }: { experiment: Experiment }) {
  const { t, language } = useTexts()
  const { kind, target_name, state, started_at, stopped_at } = experiment
  return (
    <DescriptionList
      facts={[
        { name: t('experiments.kind'), value: t(`experiments.kinds.${kind}`) },
        { name: t('experiments.scope'), value: target_name ?? t('experiments.wholeSite') },
        { name: t('experiments.state'), value: t(`experiments.states.${state}`) },
        { name: t('experiments.started'), value: formatTime(started_at, language) },
        { name: t('experiments.stopped'), value: formatTime(stopped_at, language) },
      ]}
    />
  )
}

/** Starts a draft, or stops a running experiment. Both are final. */
function StartStopButton({ experiment: { id, state } }: { experiment: Experiment }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const [isConfirming, setConfirming] = useState(false)
  const start = useCommand(startExperiment, t('done.experimentStarted'))
  const stop = useCommand(stopExperiment, t('done.experimentStopped'))
  if (state === 'stopped' || !isAllowed(startExperiment)) return null
  const isDraft = state === 'draft'
  const confirmAction = async () => {
    await (isDraft ? start : stop).run({ id })
    setConfirming(false)
  }
  return (
    <>
      <Button variant={isDraft ? 'main' : 'danger'} onClick={() => setConfirming(true)}>
        {t(isDraft ? 'experiments.start' : 'experiments.stop')}
      </Button>
      {isConfirming && (
        <ConfirmSheet
          title={t(isDraft ? 'experiments.startTitle' : 'experiments.stopTitle')}
          text={t(isDraft ? 'experiments.startText' : 'experiments.stopText')}
          action={t(isDraft ? 'experiments.start' : 'experiments.stop')}
          busy={start.busy || stop.busy}
          onConfirm={() => void confirmAction()}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  )
}
