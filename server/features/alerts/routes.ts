import { Type } from 'typebox'
import {
  changeAlerts as changeCall,
  getAlerts,
  getPushAlerts,
  startPushAlerts,
  stopAlerts,
  stopPushAlerts,
} from '#contract/alerts.ts'
import { Refusal } from '#contract/errors.ts'
import { ensureUserRow, requireActiveViewer } from '#server/features/members/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { route, type PlainRoute, type Route } from '#server/platform/http/route.ts'
import { changeAlerts, loadAlerts, unsubscribeByLink, type AlertsContext } from './alerts.ts'
import { oneClickUnsubscribePath, unsubscribePagePath } from './unsubscribe-link.ts'
import { loadPushAlerts, subscribeToPush, unsubscribeFromPush } from './push/push-subscriptions.ts'

export function alertRoutes(context: AlertsContext): Route[] {
  const { db, clock, pushKeys } = context
  return [
    route(getAlerts, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      return { info: await loadAlerts(db, userId) }
    }),
    route(changeCall, async (call) => {
      const { isStored } = await requireActiveViewer(context, call)
      // A guest without a stored row has no address, so mails remain off. No row is created for this call.
      if (!isStored) return { info: { mail: false, can_mail: false } }
      return inTransaction(db, async (tx) => {
        const userId = await ensureUserRow(context, tx, call)
        return { info: await changeAlerts(tx, userId, call.body.mail, clock.now()) }
      })
    }),
    route(stopAlerts, (call) =>
      inTransaction(db, async (tx) => ({ info: await unsubscribeByLink(context, tx, call.body.secret) })),
    ),
    route(getPushAlerts, async (call) => {
      const { userId } = await requireActiveViewer(context, call)
      return { info: await loadPushAlerts(db, pushKeys, userId) }
    }),
    route(startPushAlerts, (call) =>
      inTransaction(db, async (tx) => {
        const userId = await ensureUserRow(context, tx, call)
        await subscribeToPush(
          context,
          tx,
          { userId, sessionId: call.viewer?.sessionId, ip: call.ip },
          call.body,
        )
        return { info: await loadPushAlerts(tx, pushKeys, userId) }
      }),
    ),
    route(stopPushAlerts, async (call) => {
      await unsubscribeFromPush(db, call.body.endpoint)
      return { info: { push: false } }
    }),
  ]
}

/**
 * Returns the routes for the one-click unsubscribe of mail programs (RFC 8058). GET changes nothing, because malware
 * scanners also follow links.
 */
export function alertPlainRoutes(context: AlertsContext): PlainRoute[] {
  const secretOf = (query: unknown) => {
    const secret = Object(query)['secret']
    return typeof secret === 'string' ? secret : ''
  }
  return [
    {
      method: 'POST',
      path: oneClickUnsubscribePath,
      body: 'raw',
      description: {
        summary: 'Turns e-mails about new episodes off; mail programs call it (`List-Unsubscribe-Post`)',
        query: Type.Object({ secret: Type.String() }),
        body: 'application/x-www-form-urlencoded',
        answers: { 204: { words: 'The e-mails are off' }, 404: { words: 'The secret is invalid' } },
      },
      async handle({ query }, reply) {
        const { db } = context
        const isOff = await inTransaction(db, (tx) => unsubscribeByLink(context, tx, secretOf(query))).catch(
          ignoreRefusal,
        )
        return reply
          .header('cache-control', 'no-store')
          .code(isOff ? 204 : 404)
          .send()
      },
    },
    {
      method: 'GET',
      path: oneClickUnsubscribePath,
      description: {
        summary: 'Redirects to the page that turns e-mails about new episodes off',
        query: Type.Object({ secret: Type.String() }),
        answers: { 303: { words: 'Redirect to the page that turns the e-mails off' } },
      },
      handle: ({ query }, reply) =>
        reply
          .header('cache-control', 'no-store')
          .redirect(unsubscribePagePath(encodeURIComponent(secretOf(query))), 303),
    },
  ]
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof Refusal)) throw error
}
