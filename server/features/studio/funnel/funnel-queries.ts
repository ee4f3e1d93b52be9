import { sql } from 'kysely'
import type { FunnelKind } from '#contract/studio/funnel.ts'
import type { LedgerSums } from '#server/features/billing/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import { bucketLengths, type DayBucket } from './day-buckets.ts'

export interface FunnelCounts {
  visits: number
  plays: number
  paywalls: number
  paid: number
}

export const noCounts: FunnelCounts = { visits: 0, plays: 0, paywalls: 0, paid: 0 }

/** Revenue in one currency, either of first sales or of renewals. */
export type FunnelRevenue = LedgerSums & { renewal: boolean }

/** The key and the day whose sums are increased. */
interface FunnelKey {
  kind: FunnelKind
  key: string
  day: string
}
export type KeyedDayCounts = FunnelKey & FunnelCounts
export type KeyedDayRevenue = FunnelKey & FunnelRevenue

// Both inserts below are ordered by the primary key. All processes then lock rows in the same order, so they cannot
// deadlock.

const bucketLengthsSql = sql`unnest(${sql.lit(`{${bucketLengths.join(',')}}`)}::smallint[]) AS days`
const firstDaySql = sql`day - (day - date '2000-01-01') % days`

/**
 * Adds counts to the sums of every bucket that contains the day. Ignores counts of nonexistent videos, because clients
 * can invent ids.
 */
export async function addCounts(tx: Tx, counted: readonly KeyedDayCounts[]): Promise<void> {
  await sql`
    INSERT INTO funnel_counts AS existing (kind, days, first_day, key, visits, plays, paywalls, paid)
    SELECT kind, days, ${firstDaySql}, key, sum(visits), sum(plays), sum(paywalls), sum(paid)
    FROM jsonb_to_recordset(${JSON.stringify(counted)}::jsonb) AS given
      (kind text, key text, day date, visits bigint, plays bigint, paywalls bigint, paid bigint), ${bucketLengthsSql}
    WHERE kind <> 'video' OR key = '' OR EXISTS (SELECT FROM videos WHERE id = key)
    GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
    ON CONFLICT (kind, days, first_day, key) DO UPDATE SET visits = existing.visits + excluded.visits,
      plays = existing.plays + excluded.plays, paywalls = existing.paywalls + excluded.paywalls,
      paid = existing.paid + excluded.paid`.execute(tx)
}

export async function addRevenue(tx: Tx, revenue: readonly KeyedDayRevenue[]): Promise<void> {
  await sql`
    INSERT INTO funnel_revenue AS existing
      (kind, days, first_day, key, currency, renewal, gross_cents, refunded_cents, disputed_cents, disputes_won_cents, disputes_lost_cents)
    SELECT kind, days, ${firstDaySql}, key, currency, renewal, sum(gross_cents), sum(refunded_cents), sum(disputed_cents),
      sum(disputes_won_cents), sum(disputes_lost_cents)
    FROM jsonb_to_recordset(${JSON.stringify(revenue)}::jsonb) AS given
      (kind text, key text, day date, currency text, renewal boolean, gross_cents bigint, refunded_cents bigint,
        disputed_cents bigint, disputes_won_cents bigint, disputes_lost_cents bigint),
      ${bucketLengthsSql}
    GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 1, 2, 3, 4, 5, 6
    ON CONFLICT (kind, days, first_day, key, currency, renewal) DO UPDATE SET
      gross_cents = existing.gross_cents + excluded.gross_cents,
      refunded_cents = existing.refunded_cents + excluded.refunded_cents,
      disputed_cents = existing.disputed_cents + excluded.disputed_cents,
      disputes_won_cents = existing.disputes_won_cents + excluded.disputes_won_cents,
      disputes_lost_cents = existing.disputes_lost_cents + excluded.disputes_lost_cents`.execute(tx)
}

export interface KeyedCounts extends FunnelCounts {
  key: string
}

const bucketTable = (buckets: readonly DayBucket[]) => sql`
  unnest(${buckets.map(({ days }) => days)}::smallint[], ${buckets.map(({ first_day }) => first_day)}::date[])
    AS run (days, first_day)`

const countColumns = sql`coalesce(sum(visits), 0)::float8 AS visits, coalesce(sum(plays), 0)::float8 AS plays,
  coalesce(sum(paywalls), 0)::float8 AS paywalls, coalesce(sum(paid), 0)::float8 AS paid`

/** Position in a list sorted by visits: after this key, which has this number of visits. */
export type FunnelPosition = { visits: number; key: string } | undefined

/**
 * Returns a page of keys with their sums over these buckets, most visits first, and the totals of all keys. The query
 * reads each bucket once.
 */
export async function selectCounts(
  db: Db,
  kind: FunnelKind,
  buckets: readonly DayBucket[],
  { after, limit }: { after: FunnelPosition; limit: number },
): Promise<{ rows: KeyedCounts[]; totals: FunnelCounts }> {
  const positionCondition = after
    ? sql`WHERE visits < ${after.visits} OR (visits = ${after.visits} AND key > ${after.key})`
    : sql``
  const { rows: found } = await sql<KeyedCounts & { is_total: boolean }>`
    WITH sums AS MATERIALIZED (
      SELECT key, ${countColumns} FROM funnel_counts JOIN ${bucketTable(buckets)} USING (days, first_day)
      WHERE kind = ${kind} GROUP BY key
    ), page AS (
      SELECT * FROM sums ${positionCondition} ORDER BY visits DESC, key LIMIT ${limit}
    )
    SELECT true AS is_total, '' AS key, ${countColumns} FROM sums UNION ALL SELECT false, page.* FROM page
    ORDER BY is_total DESC, visits DESC, key`.execute(db)
  const [{ is_total: _total, key: _key, ...totals } = { is_total: true, key: '', ...noCounts }, ...rows] =
    found
  return { rows: rows.map(({ is_total: _is, ...row }) => row), totals }
}

const revenueColumns = sql`sum(gross_cents)::float8 AS gross_cents, sum(refunded_cents)::float8 AS refunded_cents,
  sum(disputed_cents)::float8 AS disputed_cents, sum(disputes_won_cents)::float8 AS disputes_won_cents,
  sum(disputes_lost_cents)::float8 AS disputes_lost_cents`

/** Returns the revenue of these keys over these buckets. */
export async function selectRevenue(
  db: Db,
  kind: FunnelKind,
  buckets: readonly DayBucket[],
  keys: readonly string[],
): Promise<Map<string, FunnelRevenue[]>> {
  const { rows } = await sql<FunnelRevenue & { key: string }>`
    SELECT key, currency, renewal, ${revenueColumns} FROM funnel_revenue JOIN ${bucketTable(buckets)} USING (days, first_day)
    WHERE kind = ${kind} AND key = ANY (${keys}::text[])
    GROUP BY key, currency, renewal ORDER BY currency, renewal`.execute(db)
  const found = Map.groupBy(rows, ({ key }) => key)
  return new Map([...found].map(([key, all]) => [key, all.map(({ key: _key, ...sums }) => sums)]))
}

/**
 * Returns the revenue of all keys over these buckets. Each kind of key contains every ledger line once, so it is enough
 * to sum one kind. `click` has the fewest keys.
 */
export async function selectRevenueTotals(db: Db, buckets: readonly DayBucket[]): Promise<FunnelRevenue[]> {
  const { rows } = await sql<FunnelRevenue>`
    SELECT currency, renewal, ${revenueColumns} FROM funnel_revenue JOIN ${bucketTable(buckets)} USING (days, first_day)
    WHERE kind = 'click' GROUP BY currency, renewal ORDER BY currency, renewal`.execute(db)
  return rows
}

/** Returns the counts of these tokens, summed over these buckets. */
export async function selectTokenCounts(
  db: Db,
  buckets: readonly DayBucket[],
  tokens: readonly string[],
): Promise<Map<string, FunnelCounts>> {
  const { rows } = await sql<KeyedCounts>`
    SELECT key, ${countColumns} FROM funnel_counts JOIN ${bucketTable(buckets)} USING (days, first_day)
    WHERE kind = 'token' AND key = ANY (${tokens}::text[]) GROUP BY key`.execute(db)
  return new Map(rows.map(({ key, ...sums }) => [key, sums]))
}

/** Key under which all unknown tokens are counted. No campaign link and no member has this token. */
export const unknownToken = 'unknown'

/** Returns which of these tokens belong to a campaign link, or are the referral code of a member. */
export async function selectKnownTokens(db: Db, tokens: readonly string[]): Promise<ReadonlySet<string>> {
  if (tokens.length === 0) return new Set()
  const { rows } = await sql<{ token: string }>`
    SELECT token FROM campaign_links WHERE token = ANY (${tokens}::text[])
    UNION ALL
    SELECT referral_code FROM users WHERE referral_code = ANY (${tokens}::text[])
      AND (member_since IS NOT NULL OR merged_into IS NOT NULL)`.execute(db)
  return new Set(rows.map(({ token }) => token))
}

/** Returns the names that operators gave to the campaign links with these tokens. */
export async function selectLinkNames(db: Db, tokens: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('campaign_links')
    .select(['token', 'name'])
    .where('token', '=', sql<string>`ANY (${tokens}::text[])`)
    .execute()
  return new Map(rows.map(({ token, name }) => [token, name]))
}

export async function selectTitles(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('videos')
    .select(['id', 'titles'])
    .where('id', '=', sql<string>`ANY (${ids}::text[])`)
    .execute()
  return new Map(rows.map(({ id, titles }) => [id, titles]))
}
