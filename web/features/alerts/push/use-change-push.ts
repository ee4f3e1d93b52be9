import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify, notifyError } from '#web/lib/notify.ts'
import { requestPushPermission, pushQuery, subscribe, unsubscribe, type PushState } from './push.ts'

/**
 * Turns notifications in this browser on or off with an optimistic update, which is reverted on failure. Turning them
 * on shows the browser's permission prompt; a toast shows the result.
 * @param onAnswered called when the user has answered the prompt, before the browser subscribes (this may take a while)
 */
export function useChangePush(onAnswered: () => void = () => {}) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const updateCache = (state: PushState) => queryClient.setQueryData(pushQuery.queryKey, state)
  const turnOn = async () => {
    const permission = await requestPushPermission()
    onAnswered()
    updateCache(permission)
    if (permission === 'blocked') notify(t('alerts.blocked'))
    if (permission !== 'on') return
    await subscribe()
    // A query that ran during the subscription may have written the old state.
    updateCache('on')
    notify(t('alerts.turnedOn'))
  }
  const change = async (on: boolean) => {
    setBusy(true)
    updateCache(on ? 'on' : 'off')
    try {
      await (on ? turnOn() : unsubscribe())
    } catch {
      if (on) notifyError(t('alerts.failed'))
      await queryClient.invalidateQueries({ queryKey: pushQuery.queryKey })
    } finally {
      setBusy(false)
    }
  }
  return { change, busy }
}
