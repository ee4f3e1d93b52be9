import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from 'react-router'
import { launchSteps, sellingSteps, showSetupGuide, type SetupStep } from '#contract/studio/setup-guide.ts'
import { call } from '#web/lib/api.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import styles from './setup-guide.module.css'

/** The setup guide with the steps to the first sale and to the launch. When all are done, it opens `next`. */
export function SetupGuide({ next }: { next: string }) {
  const { t } = useTexts()
  const start = useQuery({
    queryKey: ['start'],
    queryFn: ({ signal }) => call(showSetupGuide, { signal }),
    // Always refetched, because a step may have been completed on another page.
    staleTime: 0,
  })
  if (start.isLoadingError) return <LoadError onRetry={() => void start.refetch()} />
  if (!start.data) return <div className={styles.wait} aria-busy="true" aria-label={t('shell.loading')} />
  const { list } = start.data
  const findSteps = (names: readonly SetupStep['step'][]) =>
    names.flatMap((name) => list.find(({ step }) => step === name) ?? [])
  const [first] = findSteps([...sellingSteps, ...launchSteps]).filter(({ done }) => !done)
  if (!first) return <Navigate to={next} replace />
  return (
    <Page title={t('start.title')} lead={t('start.lead')}>
      <Steps title={t('start.firstSale')} steps={findSteps(sellingSteps)} next={first.step} />
      <Steps title={t('start.beforeLaunch')} steps={findSteps(launchSteps)} next={first.step} />
    </Page>
  )
}

function Steps({
  title,
  steps,
  next,
}: {
  title: string
  steps: readonly SetupStep[]
  next: SetupStep['step']
}) {
  if (steps.length === 0) return null
  return (
    <Panel title={title}>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <Step key={step.step} step={step} isNext={step.step === next} />
        ))}
      </ol>
    </Panel>
  )
}

function Step({ step: { step, done, video_id }, isNext }: { step: SetupStep; isNext: boolean }) {
  const { t } = useTexts()
  const to = stepLink(step, done, video_id)
  const look = buttonClass(isNext ? 'main' : 'quiet')
  const actionText = t(step === 'sale' && !done ? 'start.sale.todoAction' : `start.${step}.action`)
  return (
    <li data-done={done}>
      <span className={styles.mark}>{done && <Icon name="check" size={20} />}</span>
      <div>
        <h3>
          {t(`start.${step}.title`)}
          <span className="hidden-text">: {t(done ? 'start.done' : 'start.toDo')}</span>
        </h3>
        <p>{t(done ? `start.${step}.done` : `start.${step}.todo`)}</p>
      </div>
      {to &&
        (to.startsWith('/studio') ? (
          <Link className={look} to={to}>
            {actionText}
          </Link>
        ) : (
          <a className={look} href={to} target="_blank">
            {actionText}
          </a>
        ))}
    </li>
  )
}

/** Returns the page on which the operator does a step or sees its result; null if there is no such page yet. */
function stepLink(step: SetupStep['step'], done: boolean, video: string | null): string | null {
  switch (step) {
    case 'video':
      return '/studio/videos'
    case 'published':
      return video && `/studio/videos/${video}`
    case 'plan':
      return '/studio/plans'
    case 'homepage':
      return '/studio/homepage'
    case 'sale':
      return done ? '/studio/payments' : video && `/videos/${video}`
    case 'imprint':
      return '/contactUs'
    // These steps are done with environment variables. Only their result can be seen on a page.
    case 'gateway':
    case 'mail':
      return done ? '/studio/system' : null
  }
}
