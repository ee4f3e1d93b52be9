import { join } from 'node:path'
import { expect } from '@playwright/test'
import { readMailFolder, type ParsedMail } from '#server/testing/fakes/parse-mail.ts'
import { currentSite } from '#e2e/site/site-server.ts'

/** Waits for a mail to `address` with a subject that begins with `subject`, and returns the latest such mail. */
export async function waitForMail(address: string, subject: string): Promise<ParsedMail> {
  const find = () =>
    readMailFolder(join(currentSite().dataDir, 'mails')).findLast(
      (mail) => mail.to === address && mail.subject.startsWith(subject),
    )
  await expect.poll(find, { message: `the mail “${subject}…” to ${address}` }).toBeDefined()
  const mail = find()
  if (!mail) throw new Error(`the mail “${subject}” does not exist`)
  return mail
}
