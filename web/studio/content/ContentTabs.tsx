import { listStudioTags } from '#contract/studio/labels.ts'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Tabs } from '#web/studio/ui/Tabs.tsx'

const root = '/studio/content'

/** Tabs for videos and for categories and tags. */
export function ContentTabs() {
  const { t } = useTexts()
  const may = useMay()
  if (!may(listStudioTags)) return null
  const tabs = [
    { to: root, title: t('labels.videos') },
    { to: `${root}/names`, title: t('labels.title') },
  ]
  return <Tabs label={t('shell.area.content')} tabs={tabs} />
}
