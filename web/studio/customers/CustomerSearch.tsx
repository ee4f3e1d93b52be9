import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import { searchCustomers, type Customer } from '#contract/studio/customers.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { useTexts } from '#web/studio/texts.ts'
import { Page } from '#web/studio/ui/Page.tsx'
import { Table } from '#web/studio/ui/Table.tsx'
import { formatTime } from '#web/studio/format.ts'
import { CustomerName } from './CustomerName.tsx'
import styles from './customers.module.css'

/** Searches customers by e-mail address, order number or ID. */
export function CustomerSearch() {
  const { t } = useTexts()
  const [params, setParams] = useSearchParams()
  const searchTerm = params.get('keyword') ?? ''
  const form = useForm({
    initial: { keyword: searchTerm },
    validate: (typed) => (typed.keyword.trim() ? {} : { keyword: t('customers.searchTermMissing') }),
    send: async (typed) => setParams({ keyword: typed.keyword.trim() }),
  })
  return (
    <Page title={t('customers.title')} lead={t('customers.lead')}>
      <form className={styles.find} onSubmit={form.submit} role="search" noValidate>
        <Field
          {...form.field('keyword')}
          label={t('customers.searchTerm')}
          hint={t('customers.searchTermHint')}
          autoComplete="off"
        />
        <Button type="submit">{t('customers.search')}</Button>
      </form>
      {searchTerm && <SearchResults keyword={searchTerm} />}
    </Page>
  )
}

function SearchResults({ keyword }: { keyword: string }) {
  const { t, language } = useTexts()
  const customers = useQuery({
    queryKey: ['customers', keyword],
    queryFn: ({ signal }) => call(searchCustomers, { query: { keyword }, signal }),
  })
  if (customers.isLoadingError) return <LoadError onRetry={() => void customers.refetch()} />
  if (!customers.data) return <div className={styles.wait} aria-busy="true" />
  const columns = [
    {
      title: t('customers.customer'),
      cell: (customer: Customer) => <CustomerName {...customer} />,
    },
    { title: t('customers.type'), cell: ({ role }: Customer) => t(`customers.types.${role}`) },
    { title: t('customers.since'), cell: ({ created_at }: Customer) => formatTime(created_at, language) },
  ]
  return (
    <Table
      caption={t('customers.title')}
      columns={columns}
      rows={customers.data.list}
      keyOf={({ id }) => id}
      empty={t('customers.noCustomers')}
    />
  )
}
