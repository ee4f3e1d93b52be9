import { changeAlerts as changeCall, getAlerts, stopAlerts } from '#contract/alerts.ts'
import { keepViewer, requireStanding } from '#server/features/members/members.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { route, type Route } from '#server/platform/http/route.ts'
import { changeAlerts, loadAlerts, stopByLink, type AlertsContext } from './alerts.ts'

export function alertRoutes(context: AlertsContext): Route[] {
  const { db, clock } = context
  return [
    route(getAlerts, async (call) => {
      const { userId } = await requireStanding(context, call)
      return { info: await loadAlerts(db, userId) }
    }),
    route(changeCall, async (call) => {
      const { kept } = await requireStanding(context, call)
      // Of whom nothing is kept there is no address, and no row is made for that.
      if (!kept) return { info: { mail: false, can_mail: false } }
      return inTransaction(db, async (tx) => {
        const userId = await keepViewer(context, tx, call)
        return { info: await changeAlerts(tx, userId, call.body.mail, clock.now()) }
      })
    }),
    route(stopAlerts, (call) =>
      inTransaction(db, async (tx) => ({ info: await stopByLink(context, tx, call.body.secret) })),
    ),
  ]
}
