import { useQuery } from '@tanstack/react-query'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { formatLongDate } from '#web/lib/format.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Blocks } from './Blocks.tsx'
import { pageQuery } from './queries.ts'
import { TextSkeleton } from './TextSkeleton.tsx'
import styles from './text-page.module.css'

/** A page with one of the site's texts. It can be printed. */
export function TextPage({ name }: { name: string }) {
  const { t } = useTranslation()
  const { data, isError, refetch } = useQuery(pageQuery(name))
  if (!data) return isError ? <LoadError onRetry={() => void refetch()} /> : <TextSkeleton heading />
  return (
    <article className={styles.page}>
      <title>{data.title}</title>
      <h1>{data.title}</h1>
      <div className={styles.foot}>
        <p>{t('pages.updated', { date: formatLongDate(data.updated_at) })}</p>
        <Button variant="quiet" onClick={() => window.print()}>
          {t('pages.print')}
        </Button>
      </div>
      <Blocks blocks={data.blocks} />
    </article>
  )
}
