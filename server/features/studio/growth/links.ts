import { randomInt } from 'node:crypto'
import { Refusal } from '#contract/errors.ts'
import { inLanguage, type Language } from '#contract/languages.ts'
import type { RevenueViews } from '#contract/studio/growth.ts'
import { createLink, listLinks, type Link } from '#contract/studio/links.ts'
import { pageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import { newId } from '#server/platform/ids.ts'
import { dayName, spanUntil } from '#server/platform/utc-days.ts'
import { changes, reads, type Command } from '#server/features/studio/command.ts'
import {
  noCounts,
  selectMoney,
  selectTokenCounts,
  type Counts,
} from '#server/features/studio/funnel/funnel-queries.ts'
import { viewsOf } from '#server/features/studio/funnel/revenue-views.ts'
import { runsOf } from '#server/features/studio/funnel/runs.ts'
import { insertLink, selectLink, selectLinks, type LinkRow } from './link-queries.ts'

const limits = { usual: 20, most: 50 }

/** Campaign links, each with a token that identifies its buyers. */
export const linkCommands: Command[] = [
  changes(createLink, async ({ clock, publicUrl }, tx, { video_id, name, episode = 1 }, { language }) => {
    const id = newId('lnk')
    const link = { id, name, token: newToken(), created_at: clock.now() }
    const made = await insertLink(tx, link, { video_id, episode })
    const row = made ? await selectLink(tx, id) : undefined
    if (!row) throw new Refusal('notFound')
    return {
      answer: { info: present(row, publicUrl, language, { ...noCounts, ...viewsOf([]) }) },
      change: { subject: id, after: { name, token: row.token, video_id, episode } },
    }
  }),

  reads(listLinks, async ({ db, clock, publicUrl }, { until, days = 30, cursor, limit }, { language }) => {
    const span = spanUntil(until === undefined ? clock.now() : new Date(until), days)
    const { page, next_cursor } = await readPage(
      'links',
      { cursor, size: pageSize(limit, limits) },
      (after, most) => selectLinks(db, after, most),
      ({ created_at, id }) => [created_at, id],
    )
    const [runs, tokens] = [runsOf(span), page.map(({ token }) => token)]
    const counts = await selectTokenCounts(db, runs, tokens)
    const money = await selectMoney(db, 'token', runs, tokens)
    const list = page.map((row) =>
      present(row, publicUrl, language, {
        ...(counts.get(row.token) ?? noCounts),
        ...viewsOf(money.get(row.token) ?? []),
      }),
    )
    const last_day = dayName(new Date(span.to.getTime() - 1))
    return { data: { list, next_cursor, first_day: dayName(span.from), last_day } }
  }),
]

/** Without letters and digits that look alike, as tokens are read aloud. */
const characters = 'abcdefghjkmnpqrstuvwxyz23456789'

function newToken(): string {
  return Array.from({ length: 10 }, () => characters[randomInt(characters.length)]).join('')
}

type Brought = Counts & RevenueViews

function present(row: LinkRow, publicUrl: string, language: Language, brought: Brought): Link {
  const { id, name, token, video_id, titles, episode, created_at } = row
  return {
    id,
    name,
    token,
    url: `${publicUrl}/videos/${encodeURIComponent(video_id)}?episode=${episode}&token=${token}`,
    video_id,
    title: inLanguage(titles, language),
    episode,
    created_at: created_at.toISOString(),
    ...brought,
  }
}
