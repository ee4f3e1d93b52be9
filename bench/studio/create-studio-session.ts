import type { Pool } from 'pg'
import { hashSecret, newSecret } from '#server/platform/link-secrets.ts'

/** Creates a session for one of the generated owners. @returns its cookie */
export async function createStudioSession(pool: Pool): Promise<{ name: string; value: string }> {
  const token = newSecret()
  const { rowCount } = await pool.query(
    `INSERT INTO operator_sessions (id, operator_id, token_hash, user_agent, created_at, last_seen_at)
     SELECT 'ses_' || gen_random_uuid(), id, $1, 'the bench', now(), now() FROM operators WHERE role = 'owner' ORDER BY id LIMIT 1`,
    [hashSecret(token)],
  )
  if (rowCount !== 1) throw new Error('The generated site has no owner')
  return { name: 'operator', value: token }
}
