import type { Language } from '#contract/languages.ts'
import dy from './mails.dy.json' with { type: 'json' }
import en from './mails.en.json' with { type: 'json' }
import es from './mails.es.json' with { type: 'json' }
import fy from './mails.fy.json' with { type: 'json' }
import pt from './mails.pt.json' with { type: 'json' }

export type MailTexts = typeof en

/**
 * The mail templates. A mail of `templates` has a button that opens `link`, and uses the other values that its texts
 * name. `contact` forwards a visitor's `name`, `email` and `message` to the operator. `composeReceipt` composes
 * `receipt`.
 */
export type MailTemplate = keyof MailTexts['templates'] | 'contact' | 'receipt'

export const mailTexts: Record<Language, MailTexts> = { en, es, fy, dy, pt }

export interface ComposedMail {
  /** BCP 47. */
  lang: string
  subject: string
  text: string
  html: string
  link: string | undefined
  replyTo?: { name: string; address: string }
  /** The one-click unsubscribe URL, for mails that have one. */
  unsubscribe?: string
}
