import { useState } from 'react'
import { Route, Routes } from 'react-router'
import { listDropOff, listFunnel } from '#contract/studio/funnel.ts'
import { listReportDays } from '#contract/studio/analytics.ts'
import { createLink, listLinks } from '#contract/studio/campaign-links.ts'
import { NotFound } from '#web/studio/NotFound.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { DailyReport } from './DailyReport.tsx'
import { DropOff } from './DropOff.tsx'
import { Funnel } from './Funnel.tsx'
import { CampaignLinkForm } from './CampaignLinkForm.tsx'
import { CampaignLinks } from './CampaignLinks.tsx'
import styles from './analytics.module.css'
import { SelectField } from '#web/studio/ui/SelectField.tsx'

/** The analytics area: revenue, subscribers, campaigns, and the drop-off of a video's viewers. */
export function Component() {
  const isAllowed = usePermissions()
  return (
    <Routes>
      <Route index element={<Overview />} />
      {isAllowed(listDropOff) && <Route path="videos/:id" element={<DropOff />} />}
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function Overview() {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  // One period for the whole page, so that the same figure never appears with two values.
  const [days, setDays] = useState(30)
  return (
    <Page
      title={t('analytics.title')}
      lead={t(isAllowed(listReportDays) ? 'analytics.lead' : 'analytics.leadLinksOnly')}
    >
      <div className={styles.choose}>
        <DateRangeChoice days={days} onChoose={setDays} />
      </div>
      {isAllowed(listReportDays) && <DailyReport days={days} />}
      {isAllowed(listFunnel) && <Funnel days={days} />}
      {isAllowed(listLinks) && (
        <Panel title={t('analytics.links')}>
          {isAllowed(createLink) && <CampaignLinkForm />}
          <CampaignLinks days={days} />
        </Panel>
      )}
    </Page>
  )
}

const dayRanges = [7, 30, 92]

/** Chooses the number of days, including today. */
function DateRangeChoice({ days, onChoose }: { days: number; onChoose: (days: number) => void }) {
  const { t } = useTexts()
  return (
    <SelectField
      label={t('analytics.dateRange')}
      value={String(days)}
      options={dayRanges.map((span) => ({
        value: String(span),
        label: t('analytics.days', { count: span }),
      }))}
      onChoose={(value) => onChoose(Number(value))}
    />
  )
}
