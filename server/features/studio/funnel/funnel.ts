import { listFunnel } from '#contract/studio/funnel.ts'
import { formatUtcDay, daySpanUntil } from '#server/platform/utc-days.ts'
import { cutPage, decodeCursor, encodeCursor, choosePageSize } from '#server/platform/cursor.ts'
import { readCommand, type Command } from '#server/features/studio/define-command.ts'
import { revenueViews } from './revenue-views.ts'
import { loadKeyNames, readFunnel } from './read-funnel.ts'

const pageLimits = { default: 20, max: 50 }

/** Commands for the conversion funnel from visit to payment, by campaign, ad click or video. */
export const funnelCommands: Command[] = [
  readCommand(listFunnel, async ({ db, clock }, { by, until, days = 30, cursor, limit }, { language }) => {
    const name = `funnel ${by} ${days}`
    const position = decodeCursor(name, cursor, ['time', 'count', 'text'])
    // Takes the span's end from the cursor, so that a list keeps its span if its next page is loaded after midnight.
    const span = daySpanUntil(new Date(position?.[0] ?? until ?? clock.now()), days)
    const after = position && { visits: position[1], key: position[2] }
    const size = choosePageSize(limit, pageLimits)
    const { rows, money, totals } = await readFunnel(db, by, span, { after, limit: size + 1 })
    const { page, last } = cutPage(rows, size)
    const names = await loadKeyNames(db, by, page, language)
    const lastInstant = new Date(span.to.getTime() - 1)
    return {
      data: {
        list: page.map(({ key, ...counts }) => ({
          key: key || null,
          name: names.get(key) ?? null,
          ...counts,
          ...revenueViews(money.get(key) ?? []),
        })),
        next_cursor: last ? encodeCursor(name, [lastInstant.toISOString(), last.visits, last.key]) : null,
        totals: { ...totals.counts, ...revenueViews(totals.money) },
        first_day: formatUtcDay(span.from),
        last_day: formatUtcDay(lastInstant),
      },
    }
  }),
]
