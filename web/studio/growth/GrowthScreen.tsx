import { useState } from 'react'
import { Route, Routes } from 'react-router'
import { listDropOff, listFunnel } from '#contract/studio/funnel.ts'
import { listDays } from '#contract/studio/growth.ts'
import { createLink, listLinks } from '#contract/studio/links.ts'
import { NotFound } from '#web/studio/NotFound.tsx'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { Days } from './Days.tsx'
import { DropOff } from './DropOff.tsx'
import { Funnel } from './Funnel.tsx'
import { LinkForm } from './LinkForm.tsx'
import { Links } from './Links.tsx'
import styles from './growth.module.css'
import { Choice } from '#web/studio/ui/Choice.tsx'

/** Growth: revenue, subscribers, acquisition, and the drop-off of one video's viewers. */
export function Component() {
  const may = useMay()
  return (
    <Routes>
      <Route index element={<Overview />} />
      {may(listDropOff) && <Route path="videos/:id" element={<DropOff />} />}
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}

function Overview() {
  const { t } = useTexts()
  const may = useMay()
  // One period for the page, so that no figure appears twice with two values.
  const [days, setDays] = useState(30)
  return (
    <Page title={t('growth.title')} lead={t(may(listDays) ? 'growth.lead' : 'growth.leadOfLinks')}>
      <div className={styles.choose}>
        <SpanChoice days={days} onChoose={setDays} />
      </div>
      {may(listDays) && <Days days={days} />}
      {may(listFunnel) && <Funnel days={days} />}
      {may(listLinks) && (
        <Panel title={t('growth.links')}>
          {may(createLink) && <LinkForm />}
          <Links days={days} />
        </Panel>
      )}
    </Page>
  )
}

const spans = [7, 30, 92]

/** Chooses the number of days, today included. */
function SpanChoice({ days, onChoose }: { days: number; onChoose: (days: number) => void }) {
  const { t } = useTexts()
  return (
    <Choice
      label={t('growth.span')}
      value={String(days)}
      options={spans.map((span) => ({ value: String(span), label: t('growth.days', { count: span }) }))}
      onChoose={(value) => onChoose(Number(value))}
    />
  )
}
