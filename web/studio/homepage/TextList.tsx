import { useQuery } from '@tanstack/react-query'
import { languages, type Language } from '#contract/languages.ts'
import { pageNames, type PageName } from '#contract/pages.ts'
import { languageNames } from '#web/lib/language.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { textsQuery } from './text-queries.ts'
import styles from './homepage.module.css'

/** The list of the site's texts. It shows for each language whether the operator has replaced the built-in text. */
export function TextList() {
  const { t, language: shown } = useTexts()
  const texts = useQuery(textsQuery)
  if (texts.isLoadingError) return <LoadError onRetry={() => void texts.refetch()} />
  if (!texts.data) return <div className={styles.wait} aria-busy="true" />
  const { list } = texts.data
  const status = (name: PageName, language: Language) => {
    const text = list.find((each) => each.name === name && each.language === language)
    return text?.custom ? formatTime(text.updated_at, shown) : t('homepage.original')
  }
  const columns = [
    { title: t('homepage.textName'), cell: (name: PageName) => t(`homepage.page.${name}`) },
    ...languages.map((language) => ({
      title: languageNames[language],
      cell: (name: PageName) => (
        <PageLink to={`/studio/homepage/texts/${name}/${language}`}>
          {status(name, language)}
          <span className="hidden-text">
            {' '}
            {t('homepage.textIn', { name: t(`homepage.page.${name}`), language: languageNames[language] })}
          </span>
        </PageLink>
      ),
    })),
  ]
  return (
    <>
      <p className={styles.note}>{t('homepage.pagesLead')}</p>
      <Table
        caption={t('homepage.pages')}
        columns={columns}
        rows={pageNames}
        keyOf={(name) => name}
        empty={null}
      />
    </>
  )
}
