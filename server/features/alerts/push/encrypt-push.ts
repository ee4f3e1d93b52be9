import { createHash } from 'node:crypto'
import type { OfferedLanguages } from '#contract/languages.ts'
import type { translate } from '#server/i18n/translate.ts'
import type { Clock } from '#server/platform/clock.ts'
import { buildPushMessage } from './push-message.ts'
import type { DuePush } from './push-queries.ts'
import type { PushKeys } from './vapid-keys.ts'

export interface EncryptionContext {
  clock: Clock
  languages(): OfferedLanguages
  translate: typeof translate
  pushKeys: PushKeys
  /** Returns the e-mail address at which push services can contact the site's operator. */
  inbox(): string
}

/** Loaded on demand: the module is large, and only the process that sends pushes needs it. */
const loadWebPush = async () => (await import('web-push')).default

/**
 * Encrypts a push for the browser (RFC 8291) and signs it (VAPID, RFC 8292). With `topic`, the push replaces an older
 * one about the same video that still waits at the push service.
 */
export async function encryptPush(context: EncryptionContext, push: DuePush) {
  const { clock, languages, translate: translateText, pushKeys, inbox } = context
  const { endpoint, p256dh, auth, expires_at, video_id } = push
  const webPush = await loadWebPush()
  const payload = JSON.stringify(buildPushMessage(push, languages(), translateText))
  return webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, {
    vapidDetails: { subject: `mailto:${inbox()}`, ...pushKeys },
    TTL: Math.floor((expires_at.getTime() - clock.now().getTime()) / 1000),
    urgency: 'normal',
    topic: createHash('sha256').update(video_id).digest('base64url').slice(0, 32),
  })
}
