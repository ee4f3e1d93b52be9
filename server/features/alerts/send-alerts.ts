import { textInLanguage, storedLanguageOrDefault } from '#contract/languages.ts'
import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { readPages } from '#server/platform/database/read-pages.ts'
import { runInBatches } from '#server/platform/database/run-in-batches.ts'
import { queueMail } from '#server/platform/mail/send-mails.ts'
import type { Tx } from '#server/tables.ts'
import type { AlertsContext } from './alerts.ts'
import { queuePushes } from './push/push-queries.ts'
import * as queries from './queries.ts'
import { oneClickUnsubscribeUrl, unsubscribePageUrl } from './unsubscribe-link.ts'

/** Number of favorites that one transaction processes. */
const pageSize = 200
/** Number of new episodes, or of releases, that one statement reads. */
const defaultBatchSize = 5000
/** Alerts that could not be sent within this time (in milliseconds) are discarded. */
const alertLifetimeMs = 3 * dayMs

/**
 * Alerts users to new episodes of their favorites: one mail per video and release, and one push to each subscribed
 * browser.
 * One transaction covers a page of favorites, their queued messages and the progress of the batch. If the process dies,
 * the next run continues after the last page that was queued completely.
 */
export async function sendAlerts(
  context: AlertsContext,
  signal?: AbortSignal,
  batchSize = defaultBatchSize,
): Promise<void> {
  const { db, clock } = context
  const now = clock.now()
  await runInBatches(db, (tx, limit) => queries.stampNewEpisodes(tx, now, limit), {
    limit: batchSize,
    signal,
  })
  const before = new Date(now.getTime() - queries.releaseGapMs)
  const releases = readPages<string>(
    (after, limit) => queries.selectCompletedReleases(db, before, { after, limit }),
    batchSize,
  )
  for await (const videoIds of releases)
    for (const videoId of videoIds) {
      if (signal?.aborted) return
      await inTransaction(db, (tx) => queries.createBatch(tx, videoId))
    }
  while (!signal?.aborted && (await inTransaction(db, (tx) => sendPage(context, tx))));
}

/**
 * Queues the alerts for the next page of favorites.
 * @returns whether there may be more favorites
 */
async function sendPage(context: AlertsContext, tx: Tx): Promise<boolean> {
  const batch = await queries.lockBatch(tx)
  if (!batch) return false
  const users = await queries.selectUsersWithFavorite(tx, batch, pageSize)
  const usersToAlert = users.filter(({ is_news }) => is_news)
  for (const user of usersToAlert) if (user.by_mail) await mailAlert(context, tx, batch, user)
  const next_attempt_at = context.clock.now()
  const times = { next_attempt_at, expires_at: new Date(next_attempt_at.getTime() + alertLifetimeMs) }
  await queuePushes(
    tx,
    context.pushKeys.publicKey,
    batch,
    usersToAlert.map(({ user_id }) => user_id),
    times,
  )
  const last = users.at(-1)
  if (last && users.length === pageSize) await queries.advanceBatch(tx, batch.id, last.user_id)
  else await queries.deleteBatch(tx, batch.id)
  return true
}

function mailAlert(
  { publicUrl, secret, languages, clock }: AlertsContext,
  tx: Tx,
  { video_id, number, count, titles }: queries.AlertBatch,
  { user_id, email, language: storedLanguage }: queries.AlertedUser,
): Promise<void> {
  const language = storedLanguageOrDefault(storedLanguage, languages())
  return queueMail(tx, {
    to: email,
    template: count === 1 ? 'newEpisode' : 'newEpisodes',
    values: {
      link: `${publicUrl}/videos/${video_id}?episode=${number}`,
      title: textInLanguage(titles, language),
      number: String(number),
      count: String(count),
      stop: unsubscribePageUrl(publicUrl, secret, user_id),
      unsubscribe: oneClickUnsubscribeUrl(publicUrl, secret, user_id),
    },
    language,
    expiresAt: new Date(clock.now().getTime() + alertLifetimeMs),
    // With `sendAt`, the mail is sent after the mails that users are waiting for, such as receipts and links.
    sendAt: clock.now(),
  })
}
