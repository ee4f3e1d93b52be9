import { randomInt } from 'node:crypto'
import { Refusal } from '#contract/errors.ts'
import { inLanguage, type Language } from '#contract/languages.ts'
import { createLink, listLinks, type Link } from '#contract/studio/links.ts'
import { loadTokenSales } from '#server/features/billing/billing.ts'
import { pageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import { newId } from '#server/platform/ids.ts'
import { changes, reads, type Command } from './command.ts'
import { selectTokenCounts } from './funnel/funnel-queries.ts'
import { insertLink, selectLink, selectLinks, type LinkRow } from './link-queries.ts'

const limits = { usual: 20, most: 50 }

/** Links that are given out, each with a token that tells its buyers from others. */
export const linkCommands: Command[] = [
  changes(createLink, async ({ clock, publicUrl }, tx, { video_id, name, episode = 1 }, { language }) => {
    const id = newId('lnk')
    const link = { id, name, token: newToken(), created_at: clock.now() }
    const made = await insertLink(tx, link, { video_id, episode })
    const row = made ? await selectLink(tx, id) : undefined
    if (!row) throw new Refusal('notFound')
    return {
      answer: { info: present(row, publicUrl, language, { sales: [] }) },
      change: { subject: id, after: { name, token: row.token, video_id, episode } },
    }
  }),

  reads(listLinks, async ({ db, publicUrl }, { cursor, limit }, { language }) => {
    const { page, next_cursor } = await readPage(
      'links',
      { cursor, size: pageSize(limit, limits) },
      (after, most) => selectLinks(db, after, most),
      ({ created_at, id }) => [created_at, id],
    )
    const sales = await loadTokenSales(
      db,
      page.map(({ token }) => token),
    )
    const counts = await selectTokenCounts(
      db,
      page.map(({ token }) => token),
    )
    const list = page.map((row) =>
      present(row, publicUrl, language, { sales: sales.get(row.token) ?? [], ...counts.get(row.token) }),
    )
    return { data: { list, next_cursor } }
  }),
]

/** Without letters and digits that are mistaken for others, as people read tokens to each other. */
const characters = 'abcdefghjkmnpqrstuvwxyz23456789'

function newToken(): string {
  return Array.from({ length: 10 }, () => characters[randomInt(characters.length)]).join('')
}

type Brought = Pick<Link, 'sales'> & Partial<Pick<Link, 'visits' | 'plays' | 'paywalls'>>

function present(row: LinkRow, publicUrl: string, language: Language, brought: Brought): Link {
  const { id, name, token, video_id, titles, episode, created_at } = row
  const { visits = 0, plays = 0, paywalls = 0, sales } = brought
  return {
    id,
    name,
    token,
    url: `${publicUrl}/videos/${encodeURIComponent(video_id)}?episode=${episode}&token=${token}`,
    video_id,
    title: inLanguage(titles, language),
    episode,
    created_at: created_at.toISOString(),
    visits,
    plays,
    paywalls,
    sales,
  }
}
