import type { Pool } from 'pg'
import { hashSecret, newSecret } from '#server/platform/link-secrets.ts'

/** Inserts signed-in members. @returns their cookies */
export async function makeMembers(pool: Pool, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => newSecret())
  await pool.query(
    `INSERT INTO users (id, email, referral_code, language, time_zone, created_at, member_since)
     SELECT 'usr_viewer' || n, 'viewer-' || n || '@example.com', 'viewer' || n, 'en', 'Europe/Berlin', now(), now()
     FROM generate_series(1, $1::int) n`,
    [count],
  )
  await pool.query(
    `INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, last_seen_at)
     SELECT 'ses_viewer' || n, 'usr_viewer' || n, hash, 'bench', now(), now()
     FROM unnest($1::bytea[]) WITH ORDINALITY AS given (hash, n)`,
    [tokens.map((token) => hashSecret(token))],
  )
  return tokens.map((token) => `session=${token}`)
}
