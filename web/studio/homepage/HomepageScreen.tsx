import { Outlet, Route, Routes, useMatch } from 'react-router'
import { languages, type Language } from '#contract/languages.ts'
import { pageNames, type PageName } from '#contract/pages.ts'
import { NotFound } from '#web/studio/NotFound.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Page } from '#web/studio/ui/Page.tsx'
import { Tabs } from '#web/studio/ui/Tabs.tsx'
import { SiteIconTab } from './SiteIconTab.tsx'
import { TextList } from './TextList.tsx'
import { useQuery } from '@tanstack/react-query'
import { showHomepage } from '#contract/studio/homepage.ts'
import { call } from '#web/lib/api.ts'
import { LoadError } from '#web/ui/LoadError.tsx'
import { HomepageEditor } from './HomepageEditor.tsx'
import styles from './homepage.module.css'
import { languageNames } from '#web/lib/language.ts'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { TextEditor } from './TextEditor.tsx'
import { textQuery } from './text-queries.ts'

const root = '/studio/homepage'

/** The homepage area: the homepage, the site's texts and its icon. */
export function Component() {
  const { t } = useTexts()
  const { params } = useMatch(`${root}/texts/:name/:language`) ?? {}
  const name = pageNames.find((each) => each === params?.name)
  const language = languages.find((each) => each === params?.language)
  if (name && language) return <TextPage key={`${name} ${language}`} name={name} language={language} />
  const tabs = [
    { to: root, title: t('homepage.homepageTab') },
    { to: `${root}/texts`, title: t('homepage.pages') },
    { to: `${root}/icon`, title: t('homepage.icon') },
  ]
  const tabbedPage = (
    <Page title={t('homepage.title')} lead={t('homepage.lead')}>
      <Tabs label={t('homepage.title')} tabs={tabs} />
      <Outlet />
    </Page>
  )
  return (
    <Routes>
      <Route element={tabbedPage}>
        <Route index element={<HomepageEditorTab />} />
        <Route path="texts" element={<TextList />} />
        <Route path="icon" element={<SiteIconTab />} />
      </Route>
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

/** Edits the homepage beside a live preview. */
function HomepageEditorTab() {
  const composed = useQuery({
    queryKey: ['studio-homepage'],
    queryFn: ({ signal }) => call(showHomepage, { signal }),
    // Not refetched when the window gets the focus, because that could change what the operator is editing.
    staleTime: Infinity,
    gcTime: 0,
  })
  return (
    <>
      {composed.isError && <LoadError onRetry={() => void composed.refetch()} />}
      {composed.isPending && <div className={styles.wait} aria-busy="true" />}
      {composed.data && <HomepageEditor composed={composed.data} />}
    </>
  )
}

/** Edits one of the six page texts in one language. */
function TextPage({ name, language }: { name: PageName; language: Language }) {
  const { t } = useTexts()
  const text = useQuery(textQuery(name, language))
  return (
    <Page
      title={t('homepage.textTitle', { name: t(`homepage.page.${name}`), language: languageNames[language] })}
      lead={<PageLink to="/studio/homepage/texts">{t('homepage.allPages')}</PageLink>}
    >
      {text.isError && <LoadError onRetry={() => void text.refetch()} />}
      {text.isPending && <div className={styles.wait} aria-busy="true" />}
      {text.data && <TextEditor saved={text.data} />}
    </Page>
  )
}
