import type { QueryClient } from '@tanstack/react-query'
import { userQuery } from '#web/features/members/queries.ts'
import { withTexts } from '#web/i18n/with-texts.ts'
import { readRecord, saveRecord } from '#web/lib/storage.ts'
import type { AlertChannels } from './AlertPrompt.tsx'
import { pushQuery, supportsPush } from './push/push.ts'
import { mountRoot } from '#web/ui/mount-root.tsx'
import { alertsQuery } from './queries.ts'

const offeredKey = 'alerts-asked'

/**
 * Offers alerts if a channel is available, the viewer has no alerts yet, and this browser has not shown the offer
 * before.
 */
export async function offerAlerts(queryClient: QueryClient): Promise<void> {
  if (readRecord<boolean>(offeredKey)) return
  const channels = await findChannels(queryClient)
  if (!channels) return
  const { AlertPrompt } = await withTexts('watch', withTexts('alerts', import('./AlertPrompt.tsx')))
  saveRecord(offeredKey, true)
  mountRoot(queryClient, (close) => <AlertPrompt channels={channels} onClose={close} />)
}

/** Returns the available channels; undefined if no channel is available, or if alerts are on already. */
async function findChannels(queryClient: QueryClient): Promise<AlertChannels | undefined> {
  const isMember = queryClient.getQueryData(userQuery.queryKey)?.role === 'member'
  const { mail, can_mail } = isMember ? await queryClient.fetchQuery(alertsQuery) : noMail
  if (mail) return undefined
  const push = supportsPush() ? await queryClient.fetchQuery(pushQuery) : 'blocked'
  if (push === 'on' || (push === 'blocked' && !can_mail)) return undefined
  return { push: push === 'off', mail: can_mail }
}

const noMail = { mail: false, can_mail: false }
