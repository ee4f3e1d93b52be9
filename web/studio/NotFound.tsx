import { Link } from 'react-router'
import { buttonClass } from '#web/ui/Button.tsx'
import { useOperatorSession } from './session-queries.ts'
import { useTexts } from './texts.ts'
import { Page } from './ui/Page.tsx'

export function NotFound() {
  const { t } = useTexts()
  return <NotAvailable reason={t('shell.notFoundText')} />
}

/** Shown if a link leads to an area that the operator's role may not open. */
export function NotForRole() {
  const { t } = useTexts()
  const { role } = useOperatorSession().operator
  return <NotAvailable reason={t('shell.notForRole', { role: t(`shell.role.${role}`) })} />
}

function NotAvailable({ reason }: { reason: string }) {
  const { t } = useTexts()
  return (
    <Page title={t('shell.notFound')}>
      <p>{reason}</p>
      <p>
        <Link className={buttonClass('quiet')} to="/studio">
          {t('shell.goToStart')}
        </Link>
      </p>
    </Page>
  )
}
