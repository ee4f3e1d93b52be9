import { captureFeedback, getClient } from '@sentry/browser'
import { settings } from '#web/lib/settings.ts'
import { beginReporting } from './report-later.ts'

const patienceMs = 20_000

/** A person's feedback; with name and e-mail only if they want a reply. */
export interface Feedback {
  message: string
  name: string
  email: string
}

/** Sends it to where errors are reported. @throws Error if that has not taken it, so that nothing typed is lost */
export async function sendFeedback({ message, name, email }: Feedback): Promise<void> {
  if (!settings.sentry) throw new Error('nothing is reported on this site')
  await beginReporting(settings.sentry)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const id = captureFeedback({ message, ...(name && { name }), ...(email && { email }) })
  const end = getClient()?.on('afterSendEvent', ({ event_id }, { statusCode = 0 }) => {
    if (event_id !== id) return
    if (statusCode >= 200 && statusCode < 300) resolve()
    else reject(new Error(`it was answered ${statusCode}`))
  })
  const timer = setTimeout(() => reject(new Error('nobody answered')), patienceMs)
  return promise.finally(() => {
    clearTimeout(timer)
    end?.()
  })
}
