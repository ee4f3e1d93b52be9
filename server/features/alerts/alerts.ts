import type { Alerts } from '#contract/alerts.ts'
import { Refusal } from '#contract/errors.ts'
import type { MembersContext } from '#server/features/members/members.ts'
import type { Job } from '#server/platform/jobs/jobs.ts'
import type { Db, Tx } from '#server/tables.ts'
import { anyDuePushes, deleteSubscriptionsOf, selectSubscriptions } from './push/push-queries.ts'
import { deleteUnreachableSubscriptions } from './push/push-subscriptions.ts'
import { sendPushes, type PushContext } from './push/send-pushes.ts'
import * as queries from './queries.ts'
import { sendAlerts } from './send-alerts.ts'
import { verifyUnsubscribeSecret } from './unsubscribe-link.ts'

export type AlertsContext = MembersContext & PushContext

/**
 * Returns the jobs for alerts. Users are alerted within a minute after a release is complete. A release is complete
 * when no further episode has appeared for `releaseGapMs`.
 */
export function alertJobs(context: AlertsContext): Job[] {
  const run = (signal: AbortSignal) => sendAlerts(context, signal)
  const push = (signal: AbortSignal) => sendPushes(context, signal)
  return [
    { name: 'send-alerts', everySeconds: 30, dueWhen: queries.anyNewEpisodes, run },
    { name: 'send-pushes', everySeconds: 10, dueWhen: anyDuePushes, run: push },
    {
      name: 'purge-push-subscriptions',
      everySeconds: 3600,
      run: (signal) => deleteUnreachableSubscriptions(context, { signal }),
    },
  ]
}

export const loadAlerts = (db: Db, userId: string): Promise<Alerts> => queries.selectAlerts(db, userId)

/** Turns e-mail alerts on or off. They remain off if the user has no confirmed address. */
export async function changeAlerts(tx: Tx, userId: string, mail: boolean, now: Date): Promise<Alerts> {
  const { can_mail } = await queries.selectAlerts(tx, userId)
  if (mail && !can_mail) return { mail: false, can_mail }
  await queries.saveAlertSetting(tx, userId, mail, now)
  return { mail, can_mail }
}

/**
 * Turns e-mail alerts off for the user of an unsubscribe link.
 * @throws Refusal linkExpired if this site did not issue the secret
 */
export async function unsubscribeByLink(
  { secret, clock }: Pick<AlertsContext, 'secret' | 'clock'>,
  tx: Tx,
  linkSecret: string,
): Promise<{ mail: false }> {
  const userId = verifyUnsubscribeSecret(secret, linkSecret)
  if (userId === undefined) throw new Refusal('linkExpired')
  // A missing row is not inserted, because the user may have deleted the account since the mail was sent.
  if ((await queries.selectAlertSetting(tx, userId))?.mail)
    await queries.saveAlertSetting(tx, userId, false, clock.now())
  return { mail: false }
}

export async function eraseAlerts(tx: Tx, userId: string): Promise<void> {
  await queries.deleteAlertSetting(tx, userId)
  await deleteSubscriptionsOf(tx, userId)
}

export async function exportAlerts(db: Db, userId: string): Promise<Record<string, unknown>> {
  const browsers = await selectSubscriptions(db, userId)
  return {
    new_episode_alerts: (await queries.selectAlertSetting(db, userId)) ?? null,
    new_episode_notifications: browsers.map(({ endpoint, created_at }) => ({ endpoint, created_at })),
  }
}
