import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { readMailsIn, type ReadMail } from '#server/testing/read-mail.ts'
import { sitePort } from './site-url.ts'

/** Says where the site of the browser tests puts its mails: the folder is made anew at each start. */
const pointer = join(tmpdir(), `cliffhanger-e2e-mails-${sitePort}`)

export const rememberMails = (folder: string): void => writeFileSync(pointer, folder)

/** Waits for the latest mail to an address whose subject begins so. */
export async function mailTo(address: string, subject: string): Promise<ReadMail> {
  const find = () =>
    readMailsIn(readFileSync(pointer, 'utf8')).findLast(
      (mail) => mail.to === address && mail.subject.startsWith(subject),
    )
  await expect.poll(find, { message: `the mail “${subject}…” to ${address}` }).toBeDefined()
  const mail = find()
  if (!mail) throw new Error(`the mail “${subject}” is gone`)
  return mail
}
