import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listAuditEvents } from '#contract/studio/operators.ts'
import {
  deleteCustomer,
  getCustomer,
  grantEntitlement,
  signOutCustomer,
  type CustomerDetails,
} from '#contract/studio/customers.ts'
import { brands } from '#web/features/billing/payment-methods/method-copy.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { NotFound } from '#web/studio/NotFound.tsx'
import { OrderList } from '#web/studio/money/OrderList.tsx'
import { gatewayNames } from '#web/studio/money/order-copy.ts'
import { isNotFoundOrForbidden, usePermissions } from '#web/studio/session-queries.ts'
import { AuditLog } from '#web/studio/team/AuditLog.tsx'
import { useTexts, type Translate } from '#web/studio/texts.ts'
import { DescriptionList } from '#web/studio/ui/DescriptionList.tsx'
import { Page, Panel } from '#web/studio/ui/Page.tsx'
import { PageLink } from '#web/studio/ui/PageLink.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { formatTime } from '#web/studio/format.ts'
import { DeleteCustomer } from './DeleteCustomer.tsx'
import { GrantForm } from './GrantForm.tsx'
import { WatchHistory } from './WatchHistory.tsx'
import { Entitlements } from './Entitlements.tsx'
import { emailText, customerName } from './customer-copy.ts'
import styles from './people.module.css'
import type { Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import { money } from '#web/lib/format-money.ts'

/** The page of one customer, with the data and actions for support. */
export function CustomerPage({ id }: { id: string }) {
  const { t, language } = useTexts()
  const file = useQuery({
    queryKey: ['customer', id, language],
    queryFn: ({ signal }) => call(getCustomer, { query: { id }, signal }),
  })
  if (isNotFoundOrForbidden(file.error)) return <NotFound />
  if (file.isLoadingError) return <LoadError onRetry={() => void file.refetch()} />
  const customer = file.data?.customer
  return (
    <Page
      title={(customer && customerName(customer)) ?? t('people.customer')}
      lead={<PageLink to="/studio/customers">{t('people.another')}</PageLink>}
      actions={file.data && customer?.role !== 'deleted' && <Actions file={file.data} />}
    >
      {file.data ? <Sections file={file.data} /> : <div className={styles.wait} aria-busy="true" />}
    </Page>
  )
}

function Sections({ file }: { file: CustomerDetails }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const { id, role } = file.customer
  return (
    <>
      <Summary file={file} />
      <Entitlements
        entitlements={file.entitlements}
        renewsAt={file.membership.status === 'active' ? file.membership.renews_at : null}
      />
      {isAllowed(grantEntitlement) && role !== 'deleted' && (
        <Panel title={t('people.give')}>
          <GrantForm customer={id} />
        </Panel>
      )}
      <Panel title={t('people.orders')}>
        <OrderList filter={{ customer: id }} caption={t('people.orders')} />
      </Panel>
      <PaymentMethods methods={file.methods} />
      <Sessions file={file} />
      <Panel title={t('people.history')}>
        <WatchHistory id={id} />
      </Panel>
      {isAllowed(listAuditEvents) && (
        <Panel title={t('money.auditLog')}>
          <AuditLog subject={id} />
        </Panel>
      )}
    </>
  )
}

function Summary({ file: { customer, membership } }: { file: CustomerDetails }) {
  const { t, language } = useTexts()
  return (
    <DescriptionList
      facts={[
        { name: t('people.email'), value: emailText(customer, t) },
        { name: t('people.name'), value: customer.display_name ?? '–' },
        { name: t('people.role'), value: t(`people.is.${customer.role}`) },
        { name: t('people.since'), value: formatTime(customer.created_at, language) },
        { name: t('people.plan'), value: membershipText(membership, t, language) },
        { name: t('people.id'), value: customer.id },
        ...(customer.deleted_at
          ? [{ name: t('people.deletedAt'), value: formatTime(customer.deleted_at, language) }]
          : []),
      ]}
    />
  )
}

function Actions({ file: { customer } }: { file: CustomerDetails }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const [isConfirming, setConfirming] = useState(false)
  if (!isAllowed(deleteCustomer)) return null
  return (
    <>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        {t('people.delete')}
      </Button>
      {isConfirming && <DeleteCustomer id={customer.id} onClose={() => setConfirming(false)} />}
    </>
  )
}

type Method = CustomerDetails['methods'][number]

function PaymentMethods({ methods }: { methods: Method[] }) {
  const { t, language } = useTexts()
  const columns = [
    {
      title: t('people.method'),
      cell: ({ gateway, brand, last4 }: Method) =>
        last4 ? `${brands[brand ?? ''] ?? brand ?? ''} •••• ${last4}`.trim() : gatewayNames[gateway],
    },
    { title: t('money.gateway'), cell: ({ gateway }: Method) => gatewayNames[gateway] },
    { title: t('people.keptSince'), cell: ({ created_at }: Method) => formatTime(created_at, language) },
  ]
  return (
    <Panel title={t('people.methods')}>
      <Table
        caption={t('people.methods')}
        columns={columns}
        rows={methods}
        keyOf={({ created_at, last4 }) => `${created_at} ${last4}`}
        empty={t('people.noMethods')}
      />
    </Panel>
  )
}

type CustomerSession = CustomerDetails['sessions'][number]

function Sessions({ file: { customer, sessions } }: { file: CustomerDetails }) {
  const { t, language } = useTexts()
  const mayEnd = usePermissions()(signOutCustomer)
  const { run, busy } = useCommand(signOutCustomer, null)
  const signOut = async () => {
    const done = await run({ id: customer.id })
    if (done) notify(t('people.signedOut', { count: done.ended }))
  }
  const columns = [
    { title: t('people.device'), cell: ({ device }: CustomerSession) => device },
    {
      title: t('people.signedIn'),
      cell: ({ created_at }: CustomerSession) => formatTime(created_at, language),
    },
    {
      title: t('people.seen'),
      cell: ({ last_seen_at }: CustomerSession) => formatTime(last_seen_at, language),
    },
  ]
  return (
    <Panel
      title={t('people.sessions')}
      actions={
        mayEnd &&
        sessions.length > 0 && (
          <Button variant="quiet" disabled={busy} onClick={() => void signOut()}>
            {t('people.signOut')}
          </Button>
        )
      }
    >
      <Table
        caption={t('people.sessions')}
        columns={columns}
        rows={sessions}
        keyOf={({ id }) => id}
        empty={t('people.noSessions')}
      />
    </Panel>
  )
}

/** Describes a customer's subscription in one sentence. */
function membershipText(
  { plan, status, renews_at, ends_at, grace_until }: Membership,
  t: Translate,
  language: Language,
): string {
  if (!plan) return t('people.noPlan')
  const name = `${plan.name}, ${money(plan.price_cents, plan.currency)}`
  if (status === 'past_due') return t('people.planDue', { plan: name, at: formatTime(grace_until, language) })
  if (renews_at) return t('people.planRenews', { plan: name, at: formatTime(renews_at, language) })
  return t('people.planEnds', { plan: name, at: formatTime(ends_at, language) })
}
