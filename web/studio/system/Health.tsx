import { useQuery } from '@tanstack/react-query'
import { gatewayIds } from '#contract/billing.ts'
import { parseFreeSpace } from '#contract/studio/free-space.ts'
import { checkHealth, showHealth, type ComponentHealth } from '#contract/studio/system.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { gatewayNames } from '#web/studio/payments/order-copy.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Panel } from '#web/studio/ui/Page.tsx'
import { formatCount, formatTime } from '#web/studio/format.ts'
import styles from './system.module.css'

const pollMs = 30_000
/** The components of a typical site, for which space is reserved while the checks load. */
const placeholderParts = ['database', 'gateway sandbox', 'jobs', 'mail', 'storage']

/** The health of each component of the site: operational or its problem, and since when. */
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
      {check.busy ? t('system.checking') : t('system.checkNow')}
    </Button>
  )
  if (health.isError)
    return (
      <Panel title={t('system.health')} actions={checkButton}>
        <LoadError text={t('system.healthUnavailable')} onRetry={() => void health.refetch()} />
      </Panel>
    )
  const components = health.data?.list
  return (
    <Panel title={t('system.health')} actions={checkButton}>
      {components?.length === 0 && <p>{t('system.notChecked')}</p>}
      <ul className={styles.components} aria-busy={!components}>
        {components?.map((component) => (
          <li key={component.component} className={component.problem ? styles.failing : styles.healthy}>
            <h3>
              <Icon name={component.problem ? 'close' : 'check'} size={20} />
              {componentName(component, t)}
            </h3>
            <p>{problemText(component, t)}</p>
            <p className={styles.quiet}>
              {t('system.since', { time: formatTime(component.since, language) })}
            </p>
            {component.detail && <Detail text={component.detail} />}
          </li>
        )) ?? placeholderParts.map((name) => <li key={name} className={styles.healthy} />)}
      </ul>
    </Panel>
  )
}

/** The detail of a check: the free space, or a technical error message, which is not translated. */
function Detail({ text }: { text: string }) {
  const { t } = useTexts()
  const space = parseFreeSpace(text)
  if (!space) return <code>{text}</code>
  return (
    <>
      <p className={styles.quiet}>
        {t('system.freeSpace', { gigabytes: formatCount(space.gigabytes) })}
        {!space.eventsRecorded && ` ${t('system.eventsNotRecorded')}`}
      </p>
      <code>{space.folder}</code>
    </>
  )
}

const known = ['database', 'jobs', 'storage', 'mail'] as const

function componentName({ component }: ComponentHealth, t: Translate): string {
  const name = known.find((each) => each === component)
  if (name) return t(`system.component.${name}`)
  const gateway = gatewayIds.find((id) => component === `gateway ${id}`)
  return t('system.component.gateway', { name: gateway ? gatewayNames[gateway] : component })
}

const problemText = ({ problem }: ComponentHealth, t: Translate) =>
  t(problem ? `system.problem.${problem}` : 'system.operational')
