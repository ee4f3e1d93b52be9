import type { Selectable } from 'kysely'
import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { LinkPurpose, MailLinksTable, PasswordResetRequestsTable } from './credential-tables.ts'

export async function insertMailLink(tx: Tx, link: MailLinksTable): Promise<void> {
  await tx.insertInto('mail_links').values(link).execute()
}

/** Returns the unexpired link whose secret has this hash. Reset links are deleted when they are used. */
export function selectMailLink(db: Db, hash: Buffer, purpose: LinkPurpose, now: Date) {
  return db
    .selectFrom('mail_links')
    .select(['user_id', 'email'])
    .where('hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Returns the address to which a user's latest link for this purpose was sent. */
export async function selectLatestLinkEmail(db: Db, userId: string, purpose: LinkPurpose) {
  const row = await db
    .selectFrom('mail_links')
    .select('email')
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
  return row?.email
}

/**
 * Returns a user's stored links, without their hashes. This includes used verification links, and expired links until
 * the next purge.
 */
export function selectMailLinksOfUser(db: Db, userId: string) {
  return db
    .selectFrom('mail_links')
    .select(['purpose', 'email', 'created_at', 'expires_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .execute()
}

/** Deletes a member's links: all links, or those for one purpose. */
export async function deleteMailLinks(tx: Tx, userId: string, purpose?: LinkPurpose): Promise<void> {
  const all = tx.deleteFrom('mail_links').where('user_id', '=', userId)
  await (purpose === undefined ? all : all.where('purpose', '=', purpose)).execute()
}

/** Deletes a member's links except the one that verifies the member's current address. */
export async function deleteOtherMailLinks(tx: Tx, userId: string, email: string | null): Promise<void> {
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

export function deleteExpiredMailLinks(db: Db, now: Date, options: PurgeOptions): Promise<void> {
  return deleteExpired(db, { table: 'mail_links', time: 'expires_at', before: now }, options)
}

export async function insertPasswordResetRequest(
  db: Db,
  request: { email: string; language: string; created_at: Date },
): Promise<void> {
  await db.insertInto('password_reset_requests').values(request).execute()
}

/** SQL condition: true if there are unanswered reset requests. */
export const hasPasswordResetRequests = 'EXISTS (SELECT FROM password_reset_requests)'

/** Claims a request within the transaction. The request is deleted on commit and restored by a rollback. */
export function claimPasswordResetRequest(
  tx: Tx,
): Promise<Selectable<PasswordResetRequestsTable> | undefined> {
  return tx
    .deleteFrom('password_reset_requests')
    .where('id', '=', (requests) =>
      requests
        .selectFrom('password_reset_requests')
        .select('id')
        .orderBy('id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returningAll()
    .executeTakeFirst()
}
