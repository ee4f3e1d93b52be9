import { settings } from '#web/lib/settings.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Tabs } from '#web/studio/ui/Tabs.tsx'

/** The tabs for plans and for top-ups. Renders nothing on sites without balances. */
export function PlanTabs() {
  const { t } = useTexts()
  if (!settings.balance) return null
  const tabs = [
    { to: '/studio/plans', title: t('plans.title') },
    { to: '/studio/plans/top-ups', title: t('topUps.title') },
  ]
  return <Tabs label={t('plans.title')} tabs={tabs} />
}
