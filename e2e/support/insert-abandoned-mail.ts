import pg from 'pg'
import { currentSite } from '#e2e/site/site-server.ts'

/**
 * Inserts an abandoned mail into the database. It cannot be created by sending, because the tests' mail server accepts
 * every mail.
 */
export async function insertAbandonedMail(to: string): Promise<void> {
  const client = new pg.Client({ connectionString: currentSite().databaseUrl })
  await client.connect()
  try {
    const values = { link: 'http://localhost/individual#verify=a-secret' }
    await client.query(
      `INSERT INTO abandoned_mails
        (id, recipient, template, language, fields, attempts, created_at, abandoned_at, refused, reason)
        VALUES ($1, $2, 'verifyEmail', 'en', $3, 1, now(), now(), true, 'MailError: EENVELOPE RCPT TO 550')`,
      [`mail_${crypto.randomUUID()}`, to, JSON.stringify(values)],
    )
  } finally {
    await client.end()
  }
}
