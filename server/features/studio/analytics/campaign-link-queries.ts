import { sql } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Selects campaign links with their episode and video. */
const campaignLinksWithTargets = (db: Db) =>
  db
    .selectFrom('campaign_links')
    .innerJoin('episodes', 'episodes.id', 'campaign_links.episode_id')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .select([
      'campaign_links.id',
      'campaign_links.name',
      'campaign_links.token',
      'campaign_links.created_at',
      'episodes.number as episode',
      'videos.id as video_id',
      'videos.titles',
    ])

export interface CampaignLinkRow {
  id: string
  name: string
  token: string
  created_at: Date
  episode: number
  video_id: string
  titles: LocalizedText
}

/** Returns a page of campaign links after the position `after`, newest first. */
export function selectCampaignLinks(
  db: Db,
  after: PagePosition | undefined,
  limit: number,
): Promise<CampaignLinkRow[]> {
  return campaignLinksWithTargets(db)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(campaign_links.created_at, campaign_links.id) < (${after?.at}::timestamptz, ${after?.id})`,
      ),
    )
    .orderBy('campaign_links.created_at', 'desc')
    .orderBy('campaign_links.id', 'desc')
    .limit(limit)
    .execute()
}

export function selectCampaignLink(db: Db, id: string): Promise<CampaignLinkRow | undefined> {
  return campaignLinksWithTargets(db).where('campaign_links.id', '=', id).executeTakeFirst()
}

/**
 * Inserts a campaign link to an episode.
 * @returns false if the episode does not exist
 */
export async function insertCampaignLink(
  tx: Tx,
  link: { id: string; name: string; token: string; created_at: Date },
  { video_id, episode }: { video_id: string; episode: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO campaign_links (id, name, token, episode_id, created_at)
    SELECT ${link.id}, ${link.name}, ${link.token}, id, ${link.created_at} FROM episodes
    WHERE video_id = ${video_id} AND number = ${episode}`.execute(tx)
  return numAffectedRows === 1n
}
