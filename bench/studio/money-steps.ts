import type { Step } from '#bench/site/fill-tables.ts'
import type { SiteSize } from './studio-size.ts'

const plans = 5
export const campaignLinks = 200

/**
 * Returns the steps that insert a year of orders and their records. Four of ten orders are for plans, with four periods
 * per subscription. Most orders are paid; every other status occurs too. The generated values are the same in every run.
 */
export function moneySteps({ videos, people, orders }: SiteSize): Step[] {
  const subscriptions = Math.round(orders / 10)
  const placed = orderNumbers(orders, subscriptions, people, videos)
  return [
    {
      name: 'plans',
      total: plans,
      chunk: plans,
      sql: `INSERT INTO plans (id, names, descriptions, price_cents, currency, period_days, position)
        SELECT bench_id('plan', n), jsonb_build_object('en', 'Plan ' || n), '{"en": "Everything"}', 999, 'USD', 30, n
        FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'campaign_links',
      total: campaignLinks,
      chunk: campaignLinks,
      sql: `INSERT INTO campaign_links (id, name, token, episode_id, created_at)
        SELECT bench_id('lnk', n), 'Campaign ' || n, 'bench' || n, bench_id('ep', n), now() - n * interval '1 day'
        FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'subscriptions',
      total: subscriptions,
      chunk: 10_000,
      sql: `INSERT INTO subscriptions (id, user_id, plan_id, status, period_no, period_starts_at, period_ends_at, created_at,
          started_at, ended_at, next_run_at, agreed_price_cents)
        SELECT bench_id('sub', n), bench_id('usr', n), bench_id('plan', 1 + n % ${plans}), status, 3,
          now() - interval '1 day', now() + interval '1 year', began, began,
          CASE WHEN status = 'ended' THEN now() - n % 300 * interval '1 day' END, now() + interval '1 year', 999
        FROM generate_series($1::bigint, $2) n, LATERAL (SELECT now() - n % 360 * interval '1 day' AS began,
          CASE WHEN n % 10 < 7 THEN 'active' WHEN n % 50 = 7 THEN 'past_due' ELSE 'ended' END AS status) made`,
    },
    {
      name: 'orders',
      total: orders,
      chunk: 20_000,
      sql: `INSERT INTO orders (id, user_id, kind, video_id, episode_id, plan_id, subscription_id, period_no, status,
          amount_cents, refunded_cents, currency, gateway, method, email, attribution, created_at, paid_at, expires_at)
        SELECT bench_id('ord', n), bench_id('usr', person), kind,
          CASE WHEN kind <> 'plan' THEN bench_id('vid', video) END, CASE WHEN kind = 'episode' THEN bench_id('ep', video) END,
          CASE WHEN kind = 'plan' THEN bench_id('plan', 1 + person % ${plans}) END,
          CASE WHEN kind = 'plan' THEN bench_id('sub', person) END, CASE WHEN kind = 'plan' THEN period END,
          status, 999, CASE status WHEN 'refunded' THEN 999 WHEN 'partially_refunded' THEN 100 ELSE 0 END, 'USD', gateway,
          CASE gateway WHEN 'paypal' THEN 'wallet' ELSE 'card' END, person || '@example.com',
          CASE WHEN n % 3 = 0 THEN jsonb_build_object('referrer_token', 'bench' || floor(${campaignLinks} ^ random())) ELSE '{}' END,
          at, CASE WHEN was_paid THEN at + interval '1 minute' END, at + interval '1 day'
        FROM ${placed}`,
    },
    {
      name: 'payment_attempts',
      total: orders,
      chunk: 20_000,
      // For one of ten orders, the first attempt was declined before the order was paid.
      sql: `INSERT INTO payment_attempts (id, order_id, number, idempotency_key, initiator, gateway, reference, status, decline_code, started_at, dispute_status, dispute_debited_cents)
        SELECT bench_id('att', n + try * 10000000), bench_id('ord', n), 2 - try,
          CASE WHEN kind = 'plan' AND period > 0 THEN 'renew:' || bench_id('sub', person) || ':' || period || ':' || 2 - try
            ELSE 'pay:' || bench_id('ord', n) || ':' || 2 - try END,
          CASE WHEN kind = 'plan' AND period > 0 THEN 'merchant' ELSE 'customer' END, gateway, 'pay_' || n || '_' || try,
          CASE WHEN try = 1 THEN 'failed' WHEN was_paid THEN 'succeeded' WHEN status = 'failed' THEN 'failed'
            WHEN status = 'pending' THEN 'requires_action' ELSE 'cancelled' END,
          CASE WHEN try = 1 OR status = 'failed' THEN 'card_declined' END, at - try * interval '1 minute',
          CASE WHEN try = 1 THEN NULL WHEN status = 'charged_back' THEN CASE WHEN n % 3 = 0 THEN 'open' ELSE 'lost' END
            WHEN status = 'paid' AND n % 900 = 0 THEN 'won' END,
          CASE WHEN try = 0 AND status = 'charged_back' THEN 999 ELSE 0 END
        FROM ${placed}, generate_series(0, CASE WHEN n % 10 = 3 THEN 1 ELSE 0 END) try`,
    },
    {
      name: 'refunds',
      total: orders,
      chunk: 20_000,
      sql: `INSERT INTO refunds (id, attempt_id, idempotency_key, amount_cents, origin, reason, status, created_at)
        SELECT bench_id('ref', n), bench_id('att', n), 'refund:' || bench_id('ord', n) || ':1',
          CASE status WHEN 'refunded' THEN 999 ELSE 100 END, 'requested', 'was asked for', 'succeeded', at + interval '1 day'
        FROM ${placed} WHERE status IN ('refunded', 'partially_refunded')`,
    },
    {
      name: 'ledger',
      total: orders,
      chunk: 20_000,
      sql: `INSERT INTO ledger_lines (transaction_id, order_id, account, amount_cents, currency, at)
        SELECT transaction || bench_id(CASE transaction WHEN 'refund:' THEN 'ref' ELSE 'att' END, n), bench_id('ord', n),
          account, cents, 'USD', entered
        FROM ${placed}, LATERAL (VALUES
          ('charge:', 'gateway:' || gateway, 999, at, was_paid),
          ('charge:', 'sales:' || kind, -999, at, was_paid),
          ('refund:', 'sales:' || kind, CASE status WHEN 'refunded' THEN 999 ELSE 100 END, at + interval '1 day', status LIKE '%refunded'),
          ('refund:', 'gateway:' || gateway, CASE status WHEN 'refunded' THEN -999 ELSE -100 END, at + interval '1 day', status LIKE '%refunded'),
          ('dispute:', 'charged_back', 999, at + interval '20 days', status = 'charged_back'),
          ('dispute:', 'gateway:' || gateway, -999, at + interval '20 days', status = 'charged_back')
        ) lines(transaction, account, cents, entered, is_there) WHERE is_there AND entered < now()`,
    },
    {
      name: 'ledger lines for the funnel',
      total: orders,
      chunk: 20_000,
      // The first run of the jobs adds these lines to the funnel, like those of new orders.
      sql: `INSERT INTO unaggregated_ledger_lines (line_id)
        SELECT ledger_lines.id FROM ledger_lines JOIN generate_series($1::bigint, $2) n ON order_id = bench_id('ord', n)
        WHERE account NOT LIKE 'gateway:%'`,
    },
    {
      name: 'entitlements',
      total: orders,
      chunk: 20_000,
      sql: `INSERT INTO entitlements (id, user_id, order_id, source, video_id, episode_id, starts_at, ends_at, revoked_at)
        SELECT bench_id('ent', n), bench_id('usr', person), bench_id('ord', n),
          CASE kind WHEN 'plan' THEN 'subscription' ELSE 'purchase' END,
          CASE WHEN kind <> 'plan' THEN bench_id('vid', video) END, CASE WHEN kind = 'episode' THEN bench_id('ep', video) END,
          at, CASE WHEN kind = 'plan' THEN at + interval '31 days' END,
          CASE WHEN status IN ('refunded', 'charged_back') THEN at + interval '1 day' END
        FROM ${placed} WHERE was_paid`,
    },
    {
      name: 'notifications',
      total: orders,
      chunk: 20_000,
      sql: `INSERT INTO webhook_events (gateway, event_id, reference, received_at, applied_at)
        SELECT gateway, 'evt_' || n || '_' || copy, 'pay_' || n || '_0', at, at FROM ${placed}, generate_series(1, 2) copy`,
    },
    {
      name: 'what does not match',
      total: 300,
      chunk: 300,
      sql: `WITH foreign_ones AS (
          INSERT INTO unmatched_payments (gateway, reference, amount_cents, currency, detected_at)
          SELECT 'stripe', 'foreign_' || n, 999, 'USD', now() - n * interval '1 hour' FROM generate_series($1::bigint, $2) n)
        INSERT INTO payment_discrepancies (gateway, reference, detected_at)
        SELECT 'stripe', 'pay_' || n || '_0', now() - n * interval '1 hour' FROM generate_series($1::bigint, $2) n`,
    },
  ]
}

/** Returns a subquery with the orders numbered $1 to $2, latest first: customer, product, time and status. */
function orderNumbers(orders: number, subscriptions: number, people: number, videos: number): string {
  return `(SELECT n, at, kind, video, gateway, status, period,
      status IN ('paid', 'refunded', 'partially_refunded', 'charged_back') AS was_paid,
      CASE WHEN kind = 'plan' THEN 1 + planned % ${subscriptions} ELSE 1 + (n * 7919) % ${people} END AS person
    FROM generate_series($1::bigint, $2) n,
      LATERAL (SELECT now() - n * interval '${(360 * 86_400) / orders} seconds' AS at, 1 + (n * 31) % ${videos} AS video,
        CASE WHEN (n - 1) % 10 < 4 THEN 'plan' WHEN (n - 1) % 10 < 8 THEN 'episode' ELSE 'video' END AS kind,
        CASE WHEN n / 7 % 10 < 6 THEN 'stripe' WHEN n / 7 % 10 < 9 THEN 'paypal' ELSE 'sandbox' END AS gateway,
        (n - 1) / 10 * 4 + (n - 1) % 10 AS planned, n / 10 % 1000 AS lot) made,
      LATERAL (SELECT 3 - planned / ${subscriptions} AS period, CASE WHEN lot < 780 THEN 'paid' WHEN lot < 880 THEN 'expired'
        WHEN lot < 910 THEN 'cancelled' WHEN lot < 930 THEN 'failed' WHEN lot < 960 THEN 'refunded'
        WHEN lot < 980 THEN 'partially_refunded' WHEN lot < 995 THEN 'charged_back' ELSE 'pending' END AS status) became) placed`
}
