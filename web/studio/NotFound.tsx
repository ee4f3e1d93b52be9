import { Link } from 'react-router'
import { buttonClass } from '#web/ui/Button.tsx'
import { useTexts } from './texts.ts'
import { Page } from './ui/Page.tsx'

export function NotFound() {
  const { t } = useTexts()
  return (
    <Page title={t('desk.notFound')}>
      <p>{t('desk.notFoundText')}</p>
      <p>
        <Link className={buttonClass('quiet')} to="/studio">
          {t('desk.toStart')}
        </Link>
      </p>
    </Page>
  )
}
