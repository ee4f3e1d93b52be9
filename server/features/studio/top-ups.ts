import {
  addTopUp as addCall,
  changeTopUp as changeCall,
  listTopUps,
  archiveTopUp as archiveCall,
  showBalances,
} from '#contract/studio/top-ups.ts'
import {
  addTopUp,
  changeTopUpTerms,
  listTopUpsForAdmin,
  loadBalanceFigures,
  archiveTopUp,
} from '#server/features/billing/billing.ts'
import { transactionalCommand, readCommand, type Command } from './define-command.ts'

/** Commands for top-ups of the prepaid balance, and for totals of all balances. */
export const topUpCommands: Command[] = [
  readCommand(listTopUps, async ({ db }) => ({ data: { list: await listTopUpsForAdmin(db) } })),

  transactionalCommand(addCall, async (context, tx, body) => {
    const { price_cents, bonus_cents = 0, bonus_days = null, currency, position = 0 } = body
    const topUp = await addTopUp(context, tx, { price_cents, bonus_cents, bonus_days, currency, position })
    return { answer: { info: topUp }, change: { subject: topUp.id, after: topUp } }
  }),

  transactionalCommand(
    changeCall,
    async (context, tx, { id, price_cents, bonus_cents, bonus_days, position }) => {
      const { topUp, before } = await changeTopUpTerms(context, tx, id, {
        ...(price_cents === undefined ? {} : { price_cents }),
        ...(bonus_cents === undefined ? {} : { bonus_cents }),
        ...(bonus_days === undefined ? {} : { bonus_days }),
        ...(position === undefined ? {} : { position }),
      })
      return { answer: { info: topUp }, change: { subject: id, before, after: topUp } }
    },
  ),

  transactionalCommand(archiveCall, async (context, tx, { id }) => {
    const topUp = await archiveTopUp(context, tx, id)
    const { archived_at } = topUp
    return {
      answer: { info: topUp },
      change: { subject: id, before: { archived_at: null }, after: { archived_at } },
    }
  }),

  readCommand(showBalances, async ({ db, clock }, { days = 30 }) => ({
    info: await loadBalanceFigures(db, clock.now(), days),
  })),
]
