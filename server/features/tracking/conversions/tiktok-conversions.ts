import {
  fieldOf,
  judgeStatus,
  type Destination,
  type DestinationKeys,
} from '#server/features/tracking/destination.ts'
import type { ConversionDetails, ConversionName } from '#server/features/tracking/tables.ts'

const names = {
  purchase: 'Purchase',
  subscribe: 'Subscribe',
  complete_registration: 'CompleteRegistration',
} as const satisfies Record<ConversionName, string>

/** Its own codes, with HTTP status 200: success, too many requests, and the first of its server errors. */
const fine = 0
const tooMany = 40_100
const itsOwnFault = 50_000

/** Creates the destination for TikTok's Events API. */
export function createTiktokConversions({ apiBase, accessToken, pixelId }: DestinationKeys): Destination {
  return {
    id: 'tiktok',
    request: ({ name, eventId, at, details, pageUrl }) => ({
      url: `${apiBase}/open_api/v1.3/event/track/`,
      headers: { 'access-token': accessToken },
      body: {
        event_source: 'web',
        event_source_id: pixelId,
        data: [
          {
            event: names[name],
            event_id: eventId,
            event_time: Math.floor(at.getTime() / 1000),
            user: user(details),
            page: { url: pageUrl },
            properties: value(details),
          },
        ],
      },
    }),
    judge(status, body) {
      const verdict = judgeStatus(status)
      if (verdict !== 'delivered') return verdict
      const code = fieldOf(body, 'code')
      if (code === fine) return 'delivered'
      return typeof code !== 'number' || code === tooMany || code >= itsOwnFault ? 'later' : 'refused'
    },
  }
}

function user({ email_hash, ttclid, user_agent }: ConversionDetails) {
  return {
    ...(email_hash === undefined ? {} : { email: email_hash }),
    ...(ttclid === undefined ? {} : { ttclid }),
    ...(user_agent === undefined ? {} : { user_agent }),
  }
}

function value({ amount_cents, currency }: ConversionDetails) {
  return amount_cents === undefined ? {} : { value: amount_cents / 100, currency }
}
