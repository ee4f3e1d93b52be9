import { useQuery } from '@tanstack/react-query'
import { gatewayIds } from '#contract/billing.ts'
import { checkHealth, showHealth, type ComponentHealth } from '#contract/studio/system.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { gatewayNames } from '#web/studio/money/order-copy.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Panel } from '#web/studio/ui/Page.tsx'
import { formatTime } from '#web/studio/format.ts'
import styles from './system.module.css'

const pollMs = 30_000
/** The parts of a usual site, for which room is reserved while they load. */
const placeholderParts = ['database', 'gateway sandbox', 'jobs', 'mail', 'storage']

/** The health check of each part of the site: operational, or the problem and since when. */
export function Health() {
  const { t, language } = useTexts()
  const check = useCommand(checkHealth, t('done.healthChecked'))
  const health = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => call(showHealth, { signal }),
    refetchInterval: pollMs,
  })
  const checkButton = (
    <Button variant="quiet" disabled={check.busy} onClick={() => void check.run({})}>
      {check.busy ? t('system.looking') : t('system.look')}
    </Button>
  )
  if (health.isError)
    return (
      <Panel title={t('system.health')} actions={checkButton}>
        <LoadError text={t('system.noHealth')} onRetry={() => void health.refetch()} />
      </Panel>
    )
  const parts = health.data?.list
  return (
    <Panel title={t('system.health')} actions={checkButton}>
      {parts?.length === 0 && <p>{t('system.notLooked')}</p>}
      <ul className={styles.parts} aria-busy={!parts}>
        {parts?.map((part) => (
          <li key={part.part} className={part.problem ? styles.trouble : styles.well}>
            <h3>
              <Icon name={part.problem ? 'close' : 'check'} size={20} />
              {partName(part, t)}
            </h3>
            <p>{problemText(part, t)}</p>
            <p className={styles.quiet}>{t('system.since', { time: formatTime(part.since, language) })}</p>
            {part.detail && <code>{part.detail}</code>}
          </li>
        )) ?? placeholderParts.map((name) => <li key={name} className={styles.well} />)}
      </ul>
    </Panel>
  )
}

const known = ['database', 'jobs', 'storage', 'mail'] as const

function partName({ part }: ComponentHealth, t: Translate): string {
  const name = known.find((each) => each === part)
  if (name) return t(`system.part.${name}`)
  const gateway = gatewayIds.find((id) => part === `gateway ${id}`)
  return t('system.part.gateway', { name: gateway ? gatewayNames[gateway] : part })
}

const problemText = ({ problem }: ComponentHealth, t: Translate) =>
  t(problem ? `system.problem.${problem}` : 'system.well')
