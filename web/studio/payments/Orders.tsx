import { useId, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import { gatewayIds, orderStatuses } from '#contract/billing.ts'
import type { QueryOf } from '#contract/endpoint.ts'
import type { listOrders } from '#contract/studio/orders.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { useOperatorSession } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { useIsNarrow } from '#web/studio/ui/use-is-narrow.ts'
import { OrderList } from './OrderList.tsx'
import { gatewayNames } from './order-copy.ts'
import styles from './payments.module.css'

type Filter = QueryOf<typeof listOrders>

const filterNames = ['status', 'gateway', 'customer', 'since', 'until'] as const
type OrderFilters = Record<(typeof filterNames)[number], string>

/** The list of orders. Its filters are stored in the URL, so that it can be bookmarked and shared. */
export function Orders() {
  const { t } = useTexts()
  const [params, setParams] = useSearchParams()
  // `Object.fromEntries` loses the type of the names.
  const current = Object.fromEntries(
    filterNames.map((name) => [name, params.get(name) ?? '']),
  ) as OrderFilters
  const filter = filterOf(current)
  const file = new URLSearchParams(Object.entries(filter).map(([name, value]) => [name, String(value)]))
  return (
    <>
      <Filters
        current={current}
        activeCount={Object.keys(filter).length}
        exportUrl={`/api/studio/orders.csv?${file}`}
        onApply={(filters) => setParams(Object.entries(filters).filter(([, value]) => value !== ''))}
      />
      <OrderList filter={filter} caption={t('payments.orders')} />
    </>
  )
}

/** The filters. On a phone they are behind a button with the number of active filters, so that the list is on screen. */
function Filters({
  current,
  activeCount,
  exportUrl,
  onApply,
}: {
  current: OrderFilters
  activeCount: number
  exportUrl: string
  onApply: (filters: OrderFilters) => void
}) {
  const { t } = useTexts()
  const { role } = useOperatorSession().operator
  const isNarrow = useIsNarrow()
  const [isOpen, setOpen] = useState(false)
  const fieldsId = useId()
  const toggle = useRef<HTMLButtonElement>(null)
  const form = useForm({
    initial: current,
    validate: ({ since, until }) =>
      since !== '' && until !== '' && since > until ? { until: t('payments.untilBeforeSince') } : {},
    send: async (filters) => {
      onApply({ ...filters, customer: filters.customer.trim() })
      setOpen(false)
      // On a phone, the button that had the focus is now hidden.
      toggle.current?.focus()
    },
  })
  const [shown, setShown] = useState(current)
  // Updates the form when the URL changes elsewhere, such as by the browser's Back button.
  if (filterNames.some((name) => shown[name] !== current[name])) {
    setShown(current)
    form.set(current)
  }
  // Above the list, because a long list has a button for more at its end.
  const exportLink = (
    <a className={buttonClass('quiet')} href={exportUrl} download>
      {t('payments.export')}
    </a>
  )
  const any = { value: '', label: t('payments.any') }
  return (
    <form className={styles.filtered} onSubmit={form.submit} role="search" aria-label={t('payments.orders')}>
      {isNarrow && (
        <div className={styles.buttons}>
          <Button
            ref={toggle}
            variant="quiet"
            aria-expanded={isOpen}
            aria-controls={fieldsId}
            onClick={() => setOpen(!isOpen)}
          >
            {activeCount > 0 ? t('payments.activeFilters', { number: activeCount }) : t('payments.filters')}
          </Button>
          {exportLink}
        </div>
      )}
      <div className={styles.filters} id={fieldsId} hidden={isNarrow && !isOpen}>
        <SelectField
          label={t('payments.status')}
          value={form.value.status}
          options={[any, ...orderStatuses.map((value) => ({ value, label: t(`payments.state.${value}`) }))]}
          onChoose={(status) => form.set({ status })}
        />
        <SelectField
          label={t('payments.gateway')}
          value={form.value.gateway}
          options={[any, ...gatewayIds.map((value) => ({ value, label: gatewayNames[value] }))]}
          onChoose={(gateway) => form.set({ gateway })}
        />
        <div className={styles.whom}>
          <Field
            {...form.field('customer')}
            label={t(role === 'analyst' ? 'payments.customerId' : 'payments.customer')}
            hint={t('payments.customerHint')}
            autoComplete="off"
            required={false}
          />
        </div>
        <div className={styles.dates}>
          <Field
            {...form.field('since')}
            label={t('payments.since')}
            type="date"
            autoComplete="off"
            required={false}
          />
          <Field
            {...form.field('until')}
            label={t('payments.until')}
            type="date"
            autoComplete="off"
            required={false}
          />
        </div>
        <div className={styles.submit}>
          <Button type="submit">{t('payments.applyFilters')}</Button>
          {!isNarrow && exportLink}
        </div>
      </div>
    </form>
  )
}

/** Returns the filter for the server. Days are in the operator's time zone; the last day is included. */
function filterOf({ status, gateway, customer, since, until }: OrderFilters): Filter {
  const chosen = orderStatuses.find((each) => each === status)
  const chosenGateway = gatewayIds.find((each) => each === gateway)
  const [from, to] = [startOfDay(since, 0), startOfDay(until, 1)]
  return {
    ...(chosen ? { status: chosen } : {}),
    ...(chosenGateway ? { gateway: chosenGateway } : {}),
    ...(customer ? { customer } : {}),
    ...(from ? { since: from } : {}),
    ...(to ? { until: to } : {}),
  }
}

function startOfDay(day: string, later: number): string | undefined {
  const at = new Date(`${day}T00:00`)
  if (Number.isNaN(at.getTime())) return undefined
  at.setDate(at.getDate() + later)
  return at.toISOString()
}
