import { captureFeedback, getClient } from '@sentry/browser'
import { settings } from '#web/lib/settings.ts'
import { loadErrorReporting } from './load-error-reporting.ts'

const timeoutMs = 20_000

/** A user's feedback. Name and e-mail are empty unless the user wants a reply. */
export interface Feedback {
  message: string
  name: string
  email: string
}

/**
 * Sends feedback to the error reporting service.
 * @throws Error if the service is not configured, does not respond in time, or rejects the feedback
 */
export async function sendFeedback({ message, name, email }: Feedback): Promise<void> {
  if (!settings.sentry) throw new Error('error reporting is not configured')
  await loadErrorReporting(settings.sentry)
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const id = captureFeedback({ message, ...(name && { name }), ...(email && { email }) })
  const unsubscribe = getClient()?.on('afterSendEvent', ({ event_id }, { statusCode = 0 }) => {
    if (event_id !== id) return
    if (statusCode >= 200 && statusCode < 300) resolve()
    else reject(new Error(`the service responded with HTTP ${statusCode}`))
  })
  const timer = setTimeout(() => reject(new Error('the service did not respond in time')), timeoutMs)
  return promise.finally(() => {
    clearTimeout(timer)
    unsubscribe?.()
  })
}
