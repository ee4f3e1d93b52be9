import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'

/** A viewer's e-mail alerts about new episodes of favorites. */
export const Alerts = Type.Object({
  mail: Type.Boolean(),
  /** True if the viewer has a confirmed e-mail address. */
  can_mail: Type.Boolean(),
})
export type Alerts = Static<typeof Alerts>

export const getAlerts = endpoint({
  method: 'GET',
  path: '/api/user/alerts',
  summary: 'Returns whether the viewer gets e-mails about new episodes of favorites',
  refuses: ['signInRequired'],
  info: Alerts,
})

export const changeAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts',
  summary:
    'Turns e-mails about new episodes of favorites on or off; they are sent only to a confirmed address',
  refuses: ['signInRequired'],
  body: Type.Object({ mail: Type.Boolean() }),
  info: Alerts,
})

export const stopAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts/stop',
  summary: 'Turns off e-mails about new episodes. Needs the secret of a mailed link, but no sign-in',
  refuses: ['linkExpired'],
  body: Type.Object({ secret: Type.String({ maxLength: 200 }) }),
  info: Type.Object({ mail: Type.Boolean() }),
})

/** A base64url string of the given length, as in the keys of a push subscription. */
const base64url = (characters: number) =>
  Type.String({ pattern: `^[A-Za-z0-9_-]{${characters}}=*$`, maxLength: 90 })

const Endpoint = Type.String({ pattern: '^https://', maxLength: 1024 })

/** A browser's subscription at its push service (the Push API's `PushSubscription`). */
export const PushSubscription = Type.Object({
  endpoint: Endpoint,
  p256dh: base64url(87),
  auth: base64url(22),
})
export type PushSubscription = Static<typeof PushSubscription>

/** The browsers that receive push notifications about new episodes of a viewer's favorites. */
export const PushAlerts = Type.Object({
  /** The site's VAPID key, for the browser's `applicationServerKey`. */
  public_key: Type.String(),
  /** The subscribed browsers, each identified by the SHA-256 hash of its endpoint in base64url. */
  browsers: Type.Array(Type.String()),
})
export type PushAlerts = Static<typeof PushAlerts>

export const getPushAlerts = endpoint({
  method: 'GET',
  path: '/api/user/alerts/push',
  summary: 'Returns the VAPID key for subscribing to push notifications, and the subscribed browsers',
  refuses: ['signInRequired'],
  info: PushAlerts,
})

export const startPushAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts/push',
  summary:
    'Subscribes a browser to push notifications about new episodes of favorites, for members and guests',
  refuses: ['signInRequired'],
  body: PushSubscription,
  info: PushAlerts,
})

export const stopPushAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts/push/stop',
  summary: 'Unsubscribes a browser from push notifications, without signing in',
  refuses: [],
  body: Type.Object({ endpoint: Endpoint }),
  info: Type.Object({ push: Type.Boolean() }),
})

/** The payload of a push message to the service worker, at most 4 KB. */
export interface PushMessage {
  title: string
  body: string
  /** The BCP 47 tag of the texts' language. */
  lang: string
  icon: string | null
  /** The path to open when the notification is clicked. */
  url: string
  /** A notification replaces an earlier notification with the same tag. */
  tag: string
}
