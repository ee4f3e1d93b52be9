import { fieldOf, evaluateStatus, type Destination, type DestinationConfig } from './destination.ts'
import type { ConversionDetails, ConversionName } from '#server/features/tracking/tables.ts'

const version = 'v24.0'
const eventNames = {
  purchase: 'Purchase',
  subscribe: 'Subscribe',
  complete_registration: 'CompleteRegistration',
} as const satisfies Record<ConversionName, string>

/**
 * Meta's codes for temporary errors: unknown error, service error, too many calls (of the app, the user, the account,
 * the page).
 */
const transientErrorCodes = new Set<unknown>([1, 2, 4, 17, 32, 341, 613, 80_004])

/** Creates the destination for Meta's Conversions API. */
export function createMetaConversions({ apiBase, accessToken, pixelId }: DestinationConfig): Destination {
  return {
    id: 'meta',
    request: ({ name, eventId, at, details, pageUrl }) => ({
      url: `${apiBase}/${version}/${encodeURIComponent(pixelId)}/events`,
      // The access token is in the body, so that no log of URLs contains it.
      headers: {},
      body: {
        access_token: accessToken,
        data: [
          {
            event_name: eventNames[name],
            event_id: eventId,
            event_time: Math.floor(at.getTime() / 1000),
            action_source: 'website',
            event_source_url: pageUrl,
            user_data: userData(details),
            custom_data: customData(details),
          },
        ],
      },
    }),
    evaluateResponse(status, body) {
      const result = evaluateStatus(status)
      if (result !== 'refused') return result
      const error = fieldOf(body, 'error')
      return fieldOf(error, 'is_transient') === true || transientErrorCodes.has(fieldOf(error, 'code'))
        ? 'later'
        : 'refused'
    },
  }
}

function userData({ email_hash, fbclid, clicked_at_ms, user_agent }: ConversionDetails) {
  return {
    ...(email_hash === undefined ? {} : { em: [email_hash] }),
    ...(fbclid === undefined ? {} : { fbc: `fb.1.${clicked_at_ms ?? Date.now()}.${fbclid}` }),
    ...(user_agent === undefined ? {} : { client_user_agent: user_agent }),
  }
}

function customData({ amount_cents, currency }: ConversionDetails) {
  return amount_cents === undefined ? {} : { value: amount_cents / 100, currency }
}
