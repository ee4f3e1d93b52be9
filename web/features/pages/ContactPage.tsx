import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Blocks } from './Blocks.tsx'
import { ContactForm } from './ContactForm.tsx'
import { pageQuery } from './queries.ts'
import { TextSkeleton } from './TextSkeleton.tsx'
import styles from './text-page.module.css'

/** The contact page. The form is shown at once and does not depend on the text, which contains the legal notice. */
export function ContactPage() {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(pageQuery('contactUs'))
  const title = data?.title ?? t('footer.contact')
  return (
    <section className={`${styles.page} ${styles.contact}`}>
      <title>{title}</title>
      <h1>{title}</h1>
      <ContactForm />
      <div className={styles.imprint}>
        {data && <Blocks blocks={data.blocks} />}
        {!data && (isError ? <LoadError onRetry={() => void refetch()} /> : <TextSkeleton />)}
      </div>
    </section>
  )
}
