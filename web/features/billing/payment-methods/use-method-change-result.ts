import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'
import { userQuery } from '#web/features/members/queries.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { ApiError, notifyRejection } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { syncMethodChange } from './method-change.ts'

/** Shows the result of a change of payment method once, when the user returns from a wallet's page. */
export function useMethodChangeResult(): void {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [search, setSearch] = useSearchParams()
  const change = search.get('change')
  useEffect(() => {
    if (change === null) return
    const showResult = async () => {
      try {
        const { status } = await syncMethodChange(change)
        notify(t(status === 'saved' ? 'method.saved' : 'method.outcomeUnknown'))
        await queryClient.invalidateQueries({ queryKey: userQuery.queryKey })
      } catch (error) {
        if (error instanceof ApiError && error.message) notifyRejection(error)
        else notify(t('method.outcomeUnknown'))
      }
    }
    void showResult()
    setSearch(
      (old) => {
        old.delete('change')
        return old
      },
      { replace: true },
    )
  }, [change, queryClient, setSearch, t])
}
