import { listStudioTags } from '#contract/studio/labels.ts'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Tabs } from '#web/studio/ui/Tabs.tsx'

const root = '/studio/videos'

/** The tabs of the content area: videos, and categories and tags. */
export function ContentTabs() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  if (!isAllowed(listStudioTags)) return null
  const tabs = [
    { to: root, title: t('labels.videos') },
    { to: `${root}/labels`, title: t('labels.title') },
  ]
  return <Tabs label={t('shell.area.videos')} tabs={tabs} />
}
