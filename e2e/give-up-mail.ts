import { loadConfig } from '#server/platform/config.ts'
import { connectDatabase, unhurried } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { dataDir } from './site-home.ts'
import { sitePort } from './site-url.ts'

/** Leaves a mail behind as if its server had not taken it for good: in the browser tests' site, every mail is taken. */
export async function giveUpMail(to: string): Promise<void> {
  const config = loadConfig({ DATA_DIR: dataDir(), PORT: String(sitePort), DEMO: '0' })
  const { pool, close } = await connectDatabase(config, createLog({ json: true, level: 'silent' }), unhurried)
  try {
    const values = { link: 'http://localhost/individual#verify=a-secret' }
    await pool.query(
      `INSERT INTO given_up_mails
        (id, recipient, template, language, fields, attempts, created_at, given_up_at, refused, reason)
        VALUES ($1, $2, 'verifyEmail', 'en', $3, 1, now(), now(), true, 'MailError: EENVELOPE RCPT TO 550')`,
      [`mail_${crypto.randomUUID()}`, to, JSON.stringify(values)],
    )
  } finally {
    await close()
  }
}
