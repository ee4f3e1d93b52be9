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
import { OrderList } from '#web/studio/payments/OrderList.tsx'
import { gatewayNames } from '#web/studio/payments/order-copy.ts'
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
import styles from './customers.module.css'
import type { Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import { money } from '#web/lib/format-money.ts'

/** The page of one customer, with the data and actions for support. */
export function CustomerPage({ id }: { id: string }) {
  const { t, language } = useTexts()
  const details = useQuery({
    queryKey: ['customer', id, language],
    queryFn: ({ signal }) => call(getCustomer, { query: { id }, signal }),
  })
  if (isNotFoundOrForbidden(details.error)) return <NotFound />
  if (details.isLoadingError) return <LoadError onRetry={() => void details.refetch()} />
  const customer = details.data?.customer
  return (
    <Page
      title={(customer && customerName(customer)) ?? t('customers.customer')}
      lead={<PageLink to="/studio/customers">{t('customers.backToSearch')}</PageLink>}
      actions={details.data && customer?.role !== 'deleted' && <Actions details={details.data} />}
    >
      {details.data ? <Sections details={details.data} /> : <div className={styles.wait} aria-busy="true" />}
    </Page>
  )
}

function Sections({ details }: { details: CustomerDetails }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const { id, role } = details.customer
  return (
    <>
      <Summary details={details} />
      <Entitlements
        entitlements={details.entitlements}
        renewsAt={details.membership.status === 'active' ? details.membership.renews_at : null}
      />
      {isAllowed(grantEntitlement) && role !== 'deleted' && (
        <Panel title={t('customers.grant')}>
          <GrantForm customer={id} />
        </Panel>
      )}
      <Panel title={t('customers.orders')}>
        <OrderList filter={{ customer: id }} caption={t('customers.orders')} ofOneCustomer />
      </Panel>
      <PaymentMethods methods={details.methods} />
      <Sessions details={details} />
      <Panel title={t('customers.history')}>
        <WatchHistory id={id} />
      </Panel>
      {isAllowed(listAuditEvents) && (
        <Panel title={t('payments.auditLog')}>
          <AuditLog subject={id} />
        </Panel>
      )}
    </>
  )
}

function Summary({ details: { customer, membership } }: { details: CustomerDetails }) {
  const { t, language } = useTexts()
  return (
    <DescriptionList
      facts={[
        { name: t('customers.email'), value: emailText(customer, t) },
        { name: t('customers.name'), value: customer.display_name ?? '–' },
        { name: t('customers.type'), value: t(`customers.types.${customer.role}`) },
        { name: t('customers.since'), value: formatTime(customer.created_at, language) },
        { name: t('customers.plan'), value: membershipText(membership, t, language) },
        { name: t('customers.id'), value: customer.id },
        ...(customer.deleted_at
          ? [{ name: t('customers.deletedAt'), value: formatTime(customer.deleted_at, language) }]
          : []),
      ]}
    />
  )
}

function Actions({ details: { customer } }: { details: CustomerDetails }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()
  const [isConfirming, setConfirming] = useState(false)
  if (!isAllowed(deleteCustomer)) return null
  return (
    <>
      <Button variant="danger" onClick={() => setConfirming(true)}>
        {t('customers.delete')}
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
      title: t('customers.method'),
      cell: ({ gateway, brand, last4 }: Method) =>
        last4 ? `${brands[brand ?? ''] ?? brand ?? ''} •••• ${last4}`.trim() : gatewayNames[gateway],
    },
    { title: t('payments.gateway'), cell: ({ gateway }: Method) => gatewayNames[gateway] },
    { title: t('customers.savedSince'), cell: ({ created_at }: Method) => formatTime(created_at, language) },
  ]
  return (
    <Panel title={t('customers.methods')}>
      <Table
        caption={t('customers.methods')}
        columns={columns}
        rows={methods}
        keyOf={({ created_at, last4 }) => `${created_at} ${last4}`}
        empty={t('customers.noMethods')}
      />
    </Panel>
  )
}

type CustomerSession = CustomerDetails['sessions'][number]

function Sessions({ details: { customer, sessions } }: { details: CustomerDetails }) {
  const { t, language } = useTexts()
  const mayEnd = usePermissions()(signOutCustomer)
  const { run, busy } = useCommand(signOutCustomer, null)
  const signOut = async () => {
    const done = await run({ id: customer.id })
    if (done) notify(t('customers.signedOut', { count: done.ended }))
  }
  const columns = [
    { title: t('customers.device'), cell: ({ device }: CustomerSession) => device },
    {
      title: t('customers.signedIn'),
      cell: ({ created_at }: CustomerSession) => formatTime(created_at, language),
    },
    {
      title: t('customers.lastActive'),
      cell: ({ last_seen_at }: CustomerSession) => formatTime(last_seen_at, language),
    },
  ]
  return (
    <Panel
      title={t('customers.sessions')}
      actions={
        mayEnd &&
        sessions.length > 0 && (
          <Button variant="quiet" disabled={busy} onClick={() => void signOut()}>
            {t('customers.signOut')}
          </Button>
        )
      }
    >
      <Table
        caption={t('customers.sessions')}
        columns={columns}
        rows={sessions}
        keyOf={({ id }) => id}
        empty={t('customers.noSessions')}
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
  if (!plan) return t('customers.noPlan')
  const name = `${plan.name}, ${money(plan.price_cents, plan.currency)}`
  if (status === 'past_due')
    return t('customers.planDue', { plan: name, at: formatTime(grace_until, language) })
  if (renews_at) return t('customers.planRenews', { plan: name, at: formatTime(renews_at, language) })
  return t('customers.planEnds', { plan: name, at: formatTime(ends_at, language) })
}
