import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify, notifyProblem } from '#web/lib/notify.ts'
import { askToNotify, pushQuery, subscribe, unsubscribe, type PushState } from './push.ts'

/**
 * Turns notifications in this browser on or off with an optimistic update, which is reverted on failure. Turning them on shows the
 * browser's permission prompt, and a toast shows the result. `asked` is called once the user has answered the prompt, and before the
 * subscription, which may take a while.
 */
export function useChangePush(asked: () => void = () => {}) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const [busy, setBusy] = useState(false)
  const show = (state: PushState) => queryClient.setQueryData(pushQuery.queryKey, state)
  const turnOn = async () => {
    const answer = await askToNotify()
    asked()
    show(answer)
    if (answer === 'blocked') notify(t('alerts.blocked'))
    if (answer !== 'on') return
    await subscribe()
    // A query that completed meanwhile may have an older state.
    show('on')
    notify(t('alerts.on'))
  }
  const change = async (on: boolean) => {
    setBusy(true)
    show(on ? 'on' : 'off')
    try {
      await (on ? turnOn() : unsubscribe())
    } catch {
      if (on) notifyProblem(t('alerts.failed'))
      await queryClient.invalidateQueries({ queryKey: pushQuery.queryKey })
    } finally {
      setBusy(false)
    }
  }
  return { change, busy }
}
