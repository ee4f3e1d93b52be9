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
