import { randomInt } from 'node:crypto'
import { Refusal } from '#contract/errors.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import type { RevenueViews } from '#contract/studio/analytics.ts'
import { createLink, listLinks, type CampaignLink } from '#contract/studio/campaign-links.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import { newId } from '#server/platform/ids.ts'
import { formatUtcDay, daySpanUntil } from '#server/platform/utc-days.ts'
import { transactionalCommand, readCommand, type Command } from '#server/features/studio/define-command.ts'
import {
  noCounts,
  selectRevenue,
  selectTokenCounts,
  type FunnelCounts,
} from '#server/features/studio/funnel/funnel-queries.ts'
import { revenueViews } from '#server/features/studio/funnel/revenue-views.ts'
import { splitIntoBuckets } from '#server/features/studio/funnel/day-buckets.ts'
import {
  insertCampaignLink,
  selectCampaignLink,
  selectCampaignLinks,
  type CampaignLinkRow,
} from './campaign-link-queries.ts'

const limits = { default: 20, max: 50 }

/** Commands for campaign links. Each link has a token to which visits and sales are attributed. */
export const campaignLinkCommands: Command[] = [
  transactionalCommand(
    createLink,
    async ({ clock, publicUrl }, tx, { video_id, name, episode = 1 }, { language }) => {
      const id = newId('lnk')
      const link = { id, name, token: newToken(), created_at: clock.now() }
      const isInserted = await insertCampaignLink(tx, link, { video_id, episode })
      const row = isInserted ? await selectCampaignLink(tx, id) : undefined
      if (!row) throw new Refusal('notFound')
      return {
        answer: { info: present(row, publicUrl, language, { ...noCounts, ...revenueViews([]) }) },
        change: { subject: id, after: { name, token: row.token, video_id, episode } },
      }
    },
  ),

  readCommand(
    listLinks,
    async ({ db, clock, publicUrl }, { until, days = 30, cursor, limit }, { language }) => {
      const span = daySpanUntil(until === undefined ? clock.now() : new Date(until), days)
      const { page, next_cursor } = await readPage(
        'links',
        { cursor, size: choosePageSize(limit, limits) },
        (after, limit) => selectCampaignLinks(db, after, limit),
        ({ created_at, id }) => [created_at, id],
      )
      const [buckets, tokens] = [splitIntoBuckets(span), page.map(({ token }) => token)]
      const counts = await selectTokenCounts(db, buckets, tokens)
      const money = await selectRevenue(db, 'token', buckets, tokens)
      const list = page.map((row) =>
        present(row, publicUrl, language, {
          ...(counts.get(row.token) ?? noCounts),
          ...revenueViews(money.get(row.token) ?? []),
        }),
      )
      const last_day = formatUtcDay(new Date(span.to.getTime() - 1))
      return { data: { list, next_cursor, first_day: formatUtcDay(span.from), last_day } }
    },
  ),
]

/** The characters of tokens. Excludes letters and digits that look alike, because people read tokens aloud. */
const unambiguousCharacters = 'abcdefghjkmnpqrstuvwxyz23456789'

function newToken(): string {
  return Array.from(
    { length: 10 },
    () => unambiguousCharacters[randomInt(unambiguousCharacters.length)],
  ).join('')
}

type LinkResults = FunnelCounts & RevenueViews

function present(
  row: CampaignLinkRow,
  publicUrl: string,
  language: Language,
  results: LinkResults,
): CampaignLink {
  const { id, name, token, video_id, titles, episode, created_at } = row
  return {
    id,
    name,
    token,
    url: `${publicUrl}/videos/${encodeURIComponent(video_id)}?episode=${episode}&token=${token}`,
    video_id,
    title: textInLanguage(titles, language),
    episode,
    created_at: created_at.toISOString(),
    ...results,
  }
}
