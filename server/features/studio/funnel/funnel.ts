import { listFunnel } from '#contract/studio/funnel.ts'
import { dayName, spanUntil } from '#server/platform/utc-days.ts'
import { cutPage, decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import { reads, type Command } from '#server/features/studio/command.ts'
import { viewsOf } from './revenue-views.ts'
import { namesOf, readFunnel } from './read-funnel.ts'

const limits = { usual: 20, most: 50 }

/** The conversion funnel from visit to payment, by campaign, ad click and video. */
export const funnelCommands: Command[] = [
  reads(listFunnel, async ({ db, clock }, { by, until, days = 30, cursor, limit }, { language }) => {
    const name = `funnel ${by} ${days}`
    const position = decodeCursor(name, cursor, ['time', 'count', 'text'])
    // A list whose paging continues after midnight stays the same.
    const span = spanUntil(new Date(position?.[0] ?? until ?? clock.now()), days)
    const after = position && { visits: position[1], key: position[2] }
    const size = pageSize(limit, limits)
    const { rows, money, totals } = await readFunnel(db, by, span, { after, limit: size + 1 })
    const { page, last } = cutPage(rows, size)
    const names = await namesOf(db, by, page, language)
    const lastMoment = new Date(span.to.getTime() - 1)
    return {
      data: {
        list: page.map(({ key, ...counts }) => ({
          key: key || null,
          name: names.get(key) ?? null,
          ...counts,
          ...viewsOf(money.get(key) ?? []),
        })),
        next_cursor: last ? encodeCursor(name, [lastMoment.toISOString(), last.visits, last.key]) : null,
        totals: { ...totals.counts, ...viewsOf(totals.money) },
        first_day: dayName(span.from),
        last_day: dayName(lastMoment),
      },
    }
  }),
]
