import type { Selectable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { LinkPurpose, MailLinksTable, ResetRequestsTable } from './credential-tables.ts'

export async function insertLink(tx: Tx, link: MailLinksTable): Promise<void> {
  await tx.insertInto('mail_links').values(link).execute()
}

/** The link of a secret, unless it is worth nothing any more or too old. */
export function selectLink(db: Db, hash: Buffer, purpose: LinkPurpose, now: Date) {
  return db
    .selectFrom('mail_links')
    .select(['user_id', 'email'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Where the latest link of a member went. */
export async function selectLinkedEmail(db: Db, userId: string, purpose: LinkPurpose) {
  const row = await db
    .selectFrom('mail_links')
    .select('email')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.email
}

/** The links that a person was mailed and may use still, without what would open them. */
export function selectLinksOf(db: Db, userId: string) {
  return db
    .selectFrom('mail_links')
    .select(['purpose', 'email', 'created_at', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
}

/** Makes a member's links worthless: all, or those for one purpose. */
export async function deleteLinks(tx: Tx, userId: string, purpose?: LinkPurpose): Promise<void> {
  const all = tx.deleteFrom('mail_links').where('user_id', '=', userId)
  await (purpose === undefined ? all : all.where('purpose', '=', purpose)).execute()
}

/** Makes a member's links worthless, but for the one that proves the address they have. */
export async function deleteOtherLinks(tx: Tx, userId: string, email: string | null): Promise<void> {
  await tx
    .deleteFrom('mail_links')
    .where('user_id', '=', userId)
    .where((on) =>
      on.or([
        on('purpose', '<>', 'verify'),
        on(on.fn('lower', ['email']), '<>', on.fn('lower', [on.val(email ?? '')])),
      ]),
    )
    .execute()
}

export async function deleteOldLinks(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('mail_links').where('expires_at', '<=', now).execute()
}

export async function insertResetRequest(
  db: Db,
  request: { email: string; language: string; created_at: Date },
): Promise<void> {
  await db.insertInto('reset_requests').values(request).execute()
}

/** Holds while somebody waits for an answer. */
export const anyResetRequests = 'EXISTS (SELECT FROM reset_requests)'

/** Takes a request for as long as the transaction runs: it is gone once that commits, and there again if it does not. */
export function takeResetRequest(tx: Tx): Promise<Selectable<ResetRequestsTable> | undefined> {
  return tx
    .deleteFrom('reset_requests')
    .where('id', '=', (requests) =>
      requests.selectFrom('reset_requests').select('id').orderBy('id').limit(1).forUpdate().skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}
