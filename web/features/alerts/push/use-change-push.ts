import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { notify, notifyProblem } from '#web/lib/notify.ts'
import { askToNotify, pushQuery, subscribe, unsubscribe, type PushState } from './push.ts'

/**
 * Turns notifications in this browser on or off: on screen at once, and back where that was not to be. To turn them on the browser
 * asks, and a toast says what came of it. `asked` is called once
 * the person has answered, and before the browser is subscribed, which may take a while.
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
    // The answer of a question that came in between may be older.
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
