import { useQuery } from '@tanstack/react-query'
import type { Language } from '#contract/languages.ts'
import type { PageName } from '#contract/pages.ts'
import { languageNames } from '#web/lib/language.ts'
import { CouldNotLoad } from '#web/ui/CouldNotLoad.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Page } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { TextEditor } from './TextEditor.tsx'
import { textQuery } from './text-queries.ts'
import styles from './homepage.module.css'

/** One of the six texts in a language. */
export function TextPage({ name, language }: { name: PageName; language: Language }) {
  const { t } = useTexts()
  const text = useQuery(textQuery(name, language))
  return (
    <Page
      title={t('homepage.textTitle', { name: t(`homepage.page.${name}`), language: languageNames[language] })}
      lead={<PageLink to="/studio/homepage/texts">{t('homepage.allTexts')}</PageLink>}
    >
      {text.isError && <CouldNotLoad onRetry={() => void text.refetch()} />}
      {text.isPending && <div className={styles.wait} aria-busy="true" />}
      {text.data && <TextEditor saved={text.data} />}
    </Page>
  )
}
