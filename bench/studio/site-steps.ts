import type { Step } from '#bench/site/fill-tables.ts'
import type { SiteSize } from './studio-size.ts'

const episodesEach = 20
const operators = 20
/** Number of experiments. Each has half as many exposed viewers as the one before it. */
const experiments = 8
/** Number of different cover images; each is a file (make-covers.ts). The videos use them in turn. */
export const covers = 12

/** Returns the steps that insert users, videos, events and audit events. */
export function siteSteps(size: SiteSize): Step[] {
  const { videos, people, active, orders, events, eventDays, auditEvents } = size
  return [
    {
      name: 'states of videos',
      total: videos,
      chunk: 2000,
      sql: `WITH moved AS (
          UPDATE videos SET created_at = now() - n * interval '50 minutes', episode_count = ${episodesEach},
            cover_path = 'public/covers/bench-' || n % ${covers} || '.webp',
            state = CASE WHEN n % 40 = 0 THEN 'draft' WHEN n % 40 = 1 THEN 'archived'
              WHEN n % 100 = 2 THEN 'scheduled' ELSE 'published' END,
            released_at = CASE WHEN n % 40 = 0 THEN NULL WHEN n % 100 = 2 THEN now() + interval '1 year' ELSE released_at END
          FROM generate_series($1::bigint, $2) n WHERE id = bench_id('vid', n) RETURNING id, videos.state
        ), unlisted AS (
          UPDATE video_tags SET released_at = NULL FROM moved WHERE video_id = moved.id AND moved.state <> 'published'
        ) DELETE FROM video_search USING moved WHERE video_id = moved.id AND moved.state <> 'published'`,
    },
    {
      name: 'further episodes',
      total: videos,
      chunk: 500,
      sql: `INSERT INTO episodes (id, video_id, number, titles, asset_id)
        SELECT bench_id('ep', n + number * 1000000), bench_id('vid', n), number, '{"en": "Another night"}', 'ast_bench'
        FROM generate_series($1::bigint, $2) n, generate_series(2, ${episodesEach}) number`,
    },
    {
      name: 'files that failed',
      total: Math.round(videos / 10),
      chunk: 1000,
      sql: `WITH failed AS (
          INSERT INTO assets (id, state, reason, source_name, source_hash, failed_at)
          SELECT bench_id('ast', n), 'failed', 'is damaged', n || '.mp4', 'bench-' || n, now() - n * interval '1 hour'
          FROM generate_series($1::bigint, $2) n RETURNING id
        ) UPDATE episodes SET next_asset_id = bench_id('ast', n) FROM generate_series($1::bigint, $2) n
          WHERE id = bench_id('ep', n * 10 + 20 * 1000000)`,
    },
    {
      name: 'uploads',
      total: Math.round(videos / 10),
      chunk: 1000,
      sql: `INSERT INTO uploads (id, video_id, name, bytes, last_modified_at, number, state, updated_at)
        SELECT bench_id('upl', n), bench_id('vid', 1 + n % 20), n || '.mp4', 100000000, now(), 1 + n, 'uploading', now()
        FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'sessions',
      total: active,
      chunk: 100_000,
      sql: `INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, last_seen_at)
        SELECT bench_id('ses', n), bench_id('usr', n), sha256(n::text::bytea), 'Mozilla/5.0 (Linux; Android 15)', now(), now()
        FROM generate_series($1::bigint, $2) n WHERE n % 5 < 3`,
    },
    {
      name: 'events',
      total: events,
      chunk: 100_000,
      sql: `INSERT INTO events (at, id, name, fields, user_id, fbclid, ttclid)
        SELECT now() - n * interval '${(eventDays * 86_400) / events} seconds', gen_random_uuid(),
          (ARRAY['play_start', 'play_start', 'play_end', 'paywall', 'share', 'view', 'search'])[1 + n % 7],
          jsonb_build_object('video_id', bench_id('vid', 1 + floor(${videos} * random() ^ 2)::bigint),
            'episode_id', bench_id('ep', 1 + n % ${videos}), 'number', (1 + n % ${episodesEach})::text),
          CASE WHEN n % 2 = 0 THEN bench_id('usr', 1 + (n * 7919) % ${people}) END,
          CASE WHEN n % 20 = 0 THEN 'fb.' || n END, CASE WHEN n % 30 = 0 THEN 'tt.' || n END
        FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'steps of the funnel',
      total: Math.round(events / 50),
      chunk: 10_000,
      // Each row has 50 equal steps. The first run of the jobs adds them up.
      sql: `INSERT INTO funnel_steps (day, step, token, click, video_id, count)
        SELECT now() - n * interval '${(eventDays * 86_400 * 50) / events} seconds', step, CASE WHEN by_token THEN token END,
          CASE WHEN by_token THEN '' END, CASE WHEN by_video THEN bench_id('vid', video) END, 50
        FROM generate_series($1::bigint, $2) n, LATERAL (SELECT (ARRAY['play', 'visit', 'visit', 'paywall'])[1 + n % 4] AS step,
          n % 4 <> 1 AS by_video, n % 4 <> 2 AS by_token, 'bench' || floor(200 ^ random()) AS token,
          1 + floor(${videos} * random() ^ 2)::bigint AS video) made`,
    },
    {
      name: 'where people came from',
      total: active,
      chunk: 100_000,
      sql: `INSERT INTO attribution (user_id, first_touch, first_at, last_touch, last_at)
        SELECT bench_id('usr', n), touch, now() - n * interval '5 minutes', touch, now() - n * interval '5 minutes'
        FROM generate_series($1::bigint, $2) n,
          LATERAL (SELECT jsonb_build_object('referrer_token', 'bench' || floor(200 ^ random())) AS touch) came
        WHERE n % 3 = 0`,
    },
    {
      name: 'experiments',
      total: experiments,
      chunk: experiments,
      sql: `INSERT INTO experiments (id, name, kind, variants, state, created_at, started_at, stopped_at)
        SELECT bench_id('exp', n), 'Experiment ' || n, 'pay_theme', '[{"share": 50}, {"share": 50, "accent": "#88aaff"}]', 'stopped',
          now() - n * interval '90 days', now() - n * interval '90 days', now() - (n - 1) * interval '90 days'
        FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'who met what differs',
      total: active,
      chunk: 10_000,
      sql: `INSERT INTO experiment_exposures (viewer_id, experiment_id, variant, at)
        SELECT bench_id('usr', n), bench_id('exp', experiment), n % 2, now() - experiment * interval '90 days' + n % 80 * interval '1 day'
        FROM generate_series($1::bigint, $2) n, generate_series(1, ${experiments}) experiment WHERE n % (2 ^ (experiment - 1))::int = 0`,
    },
    {
      name: 'operators',
      total: operators,
      chunk: operators,
      sql: `INSERT INTO operators (id, email, role, active_since, created_at)
        SELECT bench_id('op', n), 'operator' || n || '@example.com', (ARRAY['owner', 'editor', 'support', 'analyst'])[1 + n % 4], now(), now()
        FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'audit log',
      total: auditEvents,
      chunk: 50_000,
      // Every second event is a member's action, the others are operators' actions.
      sql: `INSERT INTO audit_events (at, event, user_id, network_hash, operator, subject, details)
        SELECT now() - (${auditEvents} - n) * interval '75 seconds',
          CASE WHEN n % 2 = 0 THEN (ARRAY['signed_in', 'order_paid', 'account_created'])[1 + n % 3]
            ELSE (ARRAY['studio video edit', 'studio order refund', 'operator_signed_in', 'studio entitlement grant'])[1 + (n / 2) % 4] END,
          CASE WHEN n % 2 = 0 THEN bench_id('usr', 1 + n % ${people}) END, md5(n::text),
          CASE WHEN n % 2 = 1 THEN 'operator' || 1 + n % ${operators} || '@example.com' END,
          CASE WHEN n % 2 = 1 THEN (ARRAY[bench_id('vid', 1 + n % ${videos}), bench_id('ord', 1 + n % ${orders}), NULL, bench_id('usr', 1 + n % ${people})])[1 + (n / 2) % 4] END,
          CASE WHEN n % 2 = 1 THEN '{"before": {"titles": {"en": "The night ferry"}, "badge": null}, "after": {"titles": {"en": "The last night ferry"}, "badge": "hot"}}'::jsonb ELSE '{}' END
        FROM generate_series($1::bigint, $2) n`,
    },
  ]
}
