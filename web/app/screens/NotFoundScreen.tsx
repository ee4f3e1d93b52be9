import { useTranslation } from '#web/i18n/use-translation.ts'
import { Link } from 'react-router'
import { SuggestedDramas } from '#web/features/catalog/SuggestedDramas.tsx'
import { paths } from '#web/lib/paths.ts'
import { buttonClass } from '#web/ui/Button.tsx'
import styles from '#web/app/shell.module.css'

export function Component() {
  const { t } = useTranslation()
  return (
    <>
      <section className={styles.message}>
        <title>{t('notFound.title')}</title>
        <h1>{t('notFound.title')}</h1>
        <p>{t('notFound.text')}</p>
        <Link className={buttonClass('main')} to={paths.home.to()}>
          {t('notFound.goHome')}
        </Link>
      </section>
      <SuggestedDramas />
    </>
  )
}
