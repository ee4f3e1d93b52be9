import type { ConversionDetails, ConversionName, DestinationId } from '#server/features/tracking/tables.ts'

/** A conversion in the form that is sent to a platform. */
export interface Conversion {
  name: ConversionName
  /** The id of the event. The browser's pixel sends the same id, so that the platform counts the conversion once. */
  eventId: string
  at: Date
  details: ConversionDetails
  /** The page of the event, without a query. */
  pageUrl: string
}

/**
 * The meaning of a platform's response: the platform accepted the event, a retry may succeed, or a retry is pointless.
 */
export type DeliveryResult = 'delivered' | 'later' | 'refused'

/** An advertising platform with a server-to-server API. */
export interface Destination {
  id: DestinationId
  /** Builds the request that reports one conversion. */
  request(conversion: Conversion): { url: string; headers: Record<string, string>; body: object }
  /** Evaluates a response. `body` is its parsed JSON, or undefined if the response was not JSON. */
  evaluateResponse(status: number, body: unknown): DeliveryResult
}

/** The operator's settings of a platform: the API's base URL, its token, and the pixel's id. */
export interface DestinationConfig {
  apiBase: string
  accessToken: string
  pixelId: string
}

/** Evaluates an HTTP status. Timeouts, rate limits and server errors are temporary; other errors are final. */
export function evaluateStatus(status: number): DeliveryResult {
  if (status >= 200 && status < 300) return 'delivered'
  return status >= 500 || status === 429 || status === 408 ? 'later' : 'refused'
}

/** Returns the field of a response at a path of names. Returns undefined if there is no such field. */
export function fieldOf(body: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], body)
}
