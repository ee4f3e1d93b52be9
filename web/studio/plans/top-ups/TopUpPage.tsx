import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { addTopUp, changeTopUp, archiveTopUp, type StudioTopUp } from '#contract/studio/top-ups.ts'
import { call } from '#web/lib/api.ts'
import { money } from '#web/lib/format-money.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { NotFound } from '#web/studio/NotFound.tsx'
import { formatTime } from '#web/studio/format.ts'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { ConfirmSheet } from '#web/studio/ui/sheets/ConfirmSheet.tsx'
import { DescriptionList } from '#web/studio/ui/DescriptionList.tsx'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { useNavigateDiscarding } from '#web/studio/ui/unsaved/use-unsaved.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { TopUpForm } from './TopUpForm.tsx'
import { topUpName, topUpsPath, topUpsQuery } from './top-ups-query.ts'
import styles from '#web/studio/plans/plan-list.module.css'

/** The page with the form for a new top-up. */
export function NewTopUp() {
  const { t } = useTexts()
  const goOn = useNavigateDiscarding()
  return (
    <Page title={t('topUps.add')} lead={<PageLink to={topUpsPath}>{t('topUps.all')}</PageLink>}>
      <TopUpForm
        action={t('topUps.create')}
        onSend={async (terms) => {
          const { id } = await call(addTopUp, { body: terms })
          notify(t('topUps.added'))
          goOn(`${topUpsPath}/${id}`)
        }}
      />
    </Page>
  )
}

/** The page of one top-up: its settings, and the form that edits them. */
export function TopUpPage({ id }: { id: string }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const topUps = useQuery(topUpsQuery)
  if (topUps.isLoadingError) return <LoadError onRetry={() => void topUps.refetch()} />
  const topUp = topUps.data?.list.find((each) => each.id === id)
  if (topUps.data && !topUp && !topUps.isFetching) return <NotFound />
  const isOnSale = topUp?.archived_at === null
  return (
    <Page
      title={topUp ? topUpName(topUp) : t('topUps.topUp')}
      lead={<PageLink to={topUpsPath}>{t('topUps.all')}</PageLink>}
      actions={isOnSale && isAllowed(archiveTopUp) && <ArchiveTopUp id={id} />}
    >
      {topUp ? (
        <>
          <Summary topUp={topUp} />
          {isOnSale && isAllowed(changeTopUp) && <ChangeTopUp topUp={topUp} />}
        </>
      ) : (
        <div className={styles.wait} aria-busy="true" />
      )}
    </Page>
  )
}

function Summary({ topUp }: { topUp: StudioTopUp }) {
  const { t, language } = useTexts()
  const { price_cents, bonus_cents, bonus_days, currency, archived_at } = topUp
  const hasBonus = bonus_cents > 0
  return (
    <DescriptionList
      facts={[
        { name: t('topUps.price'), value: money(price_cents, currency) },
        { name: t('topUps.bonus'), value: hasBonus ? money(bonus_cents, currency) : '–' },
        { name: t('topUps.bonusDays'), value: hasBonus ? (bonus_days ?? t('topUps.bonusNever')) : '–' },
        {
          name: t('plans.state'),
          value: archived_at
            ? t('plans.archivedAt', { at: formatTime(archived_at, language) })
            : t('plans.isActive'),
        },
      ]}
    />
  )
}

function ChangeTopUp({ topUp }: { topUp: StudioTopUp }) {
  const { t } = useTexts()
  const { id } = topUp
  return (
    <Panel title={t('topUps.change')}>
      <p className={styles.hint}>{t('topUps.changeHint')}</p>
      <TopUpForm
        key={id}
        topUp={topUp}
        action={t('plans.save')}
        onSend={async ({ currency: _fixed, ...terms }) => {
          await call(changeTopUp, { body: { id, ...terms } })
          notify(t('plans.saved'))
        }}
      />
    </Panel>
  )
}

function ArchiveTopUp({ id }: { id: string }) {
  const { t } = useTexts()
  const [isConfirming, setConfirming] = useState(false)
  const { run, busy } = useCommand(archiveTopUp, t('topUps.archivedDone'))
  const archive = async () => {
    await run({ id })
    setConfirming(false)
  }
  return (
    <>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        {t('topUps.archive')}
      </Button>
      {isConfirming && (
        <ConfirmSheet
          title={t('topUps.archiveTitle')}
          text={t('topUps.archiveText')}
          action={t('topUps.archive')}
          busy={busy}
          onConfirm={() => void archive()}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  )
}
