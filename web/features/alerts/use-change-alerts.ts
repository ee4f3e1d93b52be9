import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeAlerts, type Alerts } from '#contract/alerts.ts'
import { call } from '#web/lib/api.ts'
import { alertsQuery } from './queries.ts'

/**
 * Turns mails about favorites on or off with an optimistic update. If the request fails, the update is reverted, the
 * result is undefined, and a toast has shown the error.
 */
export function useChangeAlerts() {
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const change = async (mail: boolean): Promise<Alerts | undefined> => {
    setBusy(true)
    const updateCache = (alerts: Alerts | undefined) => queryClient.setQueryData(alertsQuery.queryKey, alerts)
    const previous = queryClient.getQueryData(alertsQuery.queryKey)
    if (previous) updateCache({ ...previous, mail })
    try {
      const alerts = await call(changeAlerts, { body: { mail } })
      updateCache(alerts)
      return alerts
    } catch {
      updateCache(previous)
      return undefined
    } finally {
      setBusy(false)
    }
  }
  return { change, busy }
}
