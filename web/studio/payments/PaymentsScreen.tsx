import { showBalances } from '#contract/studio/top-ups.ts'
import { settings } from '#web/lib/settings.ts'
import { usePermissions } from '#web/studio/session-queries.ts'
import { Outlet, Route, Routes, useMatch } from 'react-router'
import { useTexts } from '#web/studio/texts.ts'
import { NotFound } from '#web/studio/NotFound.tsx'
import { Page } from '#web/studio/ui/Page.tsx'
import { Tabs } from '#web/studio/ui/Tabs.tsx'
import { BalanceReport } from './BalanceReport.tsx'
import { Disputes } from './Disputes.tsx'
import { OrderPage } from './OrderPage.tsx'
import { Orders } from './Orders.tsx'
import { Reconciliation } from './Reconciliation.tsx'

/** The payments area: orders, disputes, reconciliation and, on sites with balances, the balance report. */
export function Component() {
  const { t } = useTexts()
  const hasBalances = usePermissions()(showBalances) && settings.balance
  const one = useMatch('/studio/payments/orders/:id')
  if (one?.params.id !== undefined) return <OrderPage key={one.params.id} id={one.params.id} />
  const tabs = [
    { to: '/studio/payments', title: t('payments.orders') },
    { to: '/studio/payments/disputes', title: t('payments.disputes') },
    { to: '/studio/payments/reconciliation', title: t('payments.reconciliation') },
    ...(hasBalances ? [{ to: '/studio/payments/balances', title: t('topUps.balances') }] : []),
  ]
  const tabbedPage = (
    <Page title={t('payments.title')} lead={t('payments.lead')}>
      <Tabs label={t('payments.title')} tabs={tabs} />
      <Outlet />
    </Page>
  )
  return (
    <Routes>
      <Route element={tabbedPage}>
        <Route index element={<Orders />} />
        <Route path="disputes" element={<Disputes />} />
        <Route path="reconciliation" element={<Reconciliation />} />
        {hasBalances && <Route path="balances" element={<BalanceReport />} />}
      </Route>
      <Route path="*" element={<NotFound />} />
    </Routes>
  )
}
