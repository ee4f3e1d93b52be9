import { useQuery } from '@tanstack/react-query'
import type { MouseEvent } from 'react'
import { Blocks } from '#web/features/pages/Blocks.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useDebounced } from '#web/studio/ui/use-debounced.ts'
import { previewQuery } from './text-queries.ts'
import styles from './homepage.module.css'

/** The time without typing after which the preview is updated. */
const debounceMs = 400

/** The text as viewers would see it: parsed by the server, and rendered by the same component as on the site. */
export function TextPreview({ markdown }: { markdown: string }) {
  const { t } = useTexts()
  const preview = useQuery(previewQuery(useDebounced(markdown, debounceMs)))
  const { title, blocks, unset } = preview.data ?? { title: '', blocks: [], unset: [] }
  return (
    <section
      className={styles.preview}
      aria-label={t('homepage.preview')}
      onClickCapture={blockLinkNavigation}
    >
      <h2 className={styles.label}>{t('homepage.preview')}</h2>
      <div className={styles.sheet} aria-busy={preview.isFetching}>
        <p className={styles.sheetTitle}>{title}</p>
        <Blocks blocks={blocks} />
      </div>
      <div role="status">
        {preview.isError && <p className={styles.bad}>{t('homepage.previewFailed')}</p>}
        {preview.data && !title && <p className={styles.bad}>{t('homepage.textTitleMissing')}</p>}
        {unset.length > 0 && (
          <p className={styles.note}>
            {t('homepage.unsetPlaceholders', { names: unset.map((name) => `{{${name}}}`).join(', ') })}
          </p>
        )}
      </div>
    </section>
  )
}

/** Prevents links in the preview from opening, because they would leave the editor. */
function blockLinkNavigation(event: MouseEvent): void {
  if (event.target instanceof Element && event.target.closest('a')) {
    event.preventDefault()
    event.stopPropagation()
  }
}
