import { fieldOf, evaluateStatus, type Destination, type DestinationConfig } from './destination.ts'
import type { ConversionDetails, ConversionName } from '#server/features/tracking/tables.ts'

const eventNames = {
  purchase: 'Purchase',
  subscribe: 'Subscribe',
  complete_registration: 'CompleteRegistration',
} as const satisfies Record<ConversionName, string>

/**
 * TikTok's own codes in responses with HTTP status 200: success, too many requests, and the lowest code of a server
 * error.
 */
const successCode = 0
const tooManyRequestsCode = 40_100
const firstServerErrorCode = 50_000

/** Creates the destination for TikTok's Events API. */
export function createTiktokConversions({ apiBase, accessToken, pixelId }: DestinationConfig): Destination {
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
            event: eventNames[name],
            event_id: eventId,
            event_time: Math.floor(at.getTime() / 1000),
            user: userData(details),
            page: { url: pageUrl },
            properties: purchaseProperties(details),
          },
        ],
      },
    }),
    evaluateResponse(status, body) {
      const result = evaluateStatus(status)
      if (result !== 'delivered') return result
      const code = fieldOf(body, 'code')
      if (code === successCode) return 'delivered'
      return typeof code !== 'number' || code === tooManyRequestsCode || code >= firstServerErrorCode
        ? 'later'
        : 'refused'
    },
  }
}

function userData({ email_hash, ttclid, user_agent }: ConversionDetails) {
  return {
    ...(email_hash === undefined ? {} : { email: email_hash }),
    ...(ttclid === undefined ? {} : { ttclid }),
    ...(user_agent === undefined ? {} : { user_agent }),
  }
}

function purchaseProperties({ amount_cents, currency }: ConversionDetails) {
  return amount_cents === undefined ? {} : { value: amount_cents / 100, currency }
}
