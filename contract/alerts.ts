import { Type, type Static } from 'typebox'
import { endpoint } from './endpoint.ts'

/** Whether new episodes of a viewer's favorites are sent to them. */
export const Alerts = Type.Object({
  mail: Type.Boolean(),
  /** Whether there is a confirmed e-mail address to send to. */
  can_mail: Type.Boolean(),
})
export type Alerts = Static<typeof Alerts>

export const getAlerts = endpoint({
  method: 'GET',
  path: '/api/user/alerts',
  summary: 'Returns whether new episodes of favorites are sent by e-mail',
  refuses: ['signInFirst'],
  info: Alerts,
})

export const changeAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts',
  summary: 'Turns e-mails about new episodes of favorites on or off; only a confirmed address gets any',
  refuses: ['signInFirst'],
  body: Type.Object({ mail: Type.Boolean() }),
  info: Alerts,
})

export const stopAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts/stop',
  summary: "Turns these e-mails off by the secret of a mail's link, without a sign-in",
  refuses: ['linkSpent'],
  body: Type.Object({ secret: Type.String({ maxLength: 200 }) }),
  info: Type.Object({ mail: Type.Boolean() }),
})

/** Base64url of so many bytes, as a browser's subscription has its keys. */
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

/** In which browsers new episodes of a viewer's favorites are notified. */
export const PushAlerts = Type.Object({
  /** The site's VAPID key, for the browser's `applicationServerKey`. */
  public_key: Type.String(),
  /** Each browser by the SHA-256 of its endpoint, in base64url. */
  browsers: Type.Array(Type.String()),
})
export type PushAlerts = Static<typeof PushAlerts>

export const getPushAlerts = endpoint({
  method: 'GET',
  path: '/api/user/alerts/push',
  summary: 'Returns the key to subscribe to notifications with, and the browsers that get them',
  refuses: ['signInFirst'],
  info: PushAlerts,
})

export const startPushAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts/push',
  summary: 'Turns notifications about new episodes of favorites on in a browser, for guests too',
  refuses: ['signInFirst'],
  body: PushSubscription,
  info: PushAlerts,
})

export const stopPushAlerts = endpoint({
  method: 'POST',
  path: '/api/user/alerts/push/stop',
  summary: 'Turns them off in a browser, without a sign-in',
  refuses: [],
  body: Type.Object({ endpoint: Endpoint }),
  info: Type.Object({ push: Type.Boolean() }),
})

/** What a push carries to the service worker, at most 4 KB. */
export interface PushMessage {
  title: string
  body: string
  /** BCP 47. */
  lang: string
  icon: string | null
  /** The path that it opens. */
  url: string
  /** A notification takes the place of one with the same tag. */
  tag: string
}
