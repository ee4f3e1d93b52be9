import { Route, Routes, useMatch } from 'react-router'
import { languages } from '#contract/languages.ts'
import { pageNames } from '#contract/pages.ts'
import { NotFound } from '#web/studio/NotFound.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { Page } from '#web/studio/ui/Page.tsx'
import { Tabs } from '#web/studio/ui/Tabs.tsx'
import { Composition } from './Composition.tsx'
import { SiteIconTab } from './SiteIconTab.tsx'
import { TextList } from './TextList.tsx'
import { TextPage } from './TextPage.tsx'

const root = '/studio/homepage'

/** What every viewer finds: the homepage and the six texts. */
export function Component() {
  const { t } = useTexts()
  const { params } = useMatch(`${root}/texts/:name/:language`) ?? {}
  const name = pageNames.find((each) => each === params?.name)
  const language = languages.find((each) => each === params?.language)
  if (name && language) return <TextPage key={`${name} ${language}`} name={name} language={language} />
  const tabs = [
    { to: root, title: t('homepage.composition') },
    { to: `${root}/texts`, title: t('homepage.texts') },
    { to: `${root}/icon`, title: t('homepage.icon') },
  ]
  return (
    <Page title={t('homepage.title')} lead={t('homepage.lead')}>
      <Tabs label={t('homepage.title')} tabs={tabs} />
      <Routes>
        <Route index element={<Composition />} />
        <Route path="texts" element={<TextList />} />
        <Route path="icon" element={<SiteIconTab />} />
        <Route path="*" element={<NotFound />} />
      </Routes>
    </Page>
  )
}
