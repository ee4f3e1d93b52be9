import type { ConversionDetails, ConversionName, DestinationId } from './tables.ts'

/** What one platform is told. */
export interface Conversion {
  name: ConversionName
  /** The same id as the browser's pixel gives the event, so that the platform counts it once. */
  eventId: string
  at: Date
  details: ConversionDetails
  /** The page it happened on, without a query. */
  pageUrl: string
}

/** How a platform answered: it has the event, it may take it later, or it never will. */
export type Verdict = 'delivered' | 'later' | 'refused'

/** An advertising platform that takes events from servers. */
export interface Destination {
  id: DestinationId
  /** The request that tells it of one conversion. */
  request(conversion: Conversion): { url: string; headers: Record<string, string>; body: object }
  /** `body` is the parsed answer, or undefined where it was not JSON. */
  judge(status: number, body: unknown): Verdict
}

/** What an operator gives for one platform: where its interface is, the key to it, and the pixel's id. */
export interface DestinationKeys {
  apiBase: string
  accessToken: string
  pixelId: string
}

/** What HTTP alone says: too many, too slow and broken pass; any other refusal stays one. */
export function judgeStatus(status: number): Verdict {
  if (status >= 200 && status < 300) return 'delivered'
  return status >= 500 || status === 429 || status === 408 ? 'later' : 'refused'
}

/** A field of an answer, at any depth; undefined where the answer is of another shape. */
export function fieldOf(body: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (Object(value) as Record<string, unknown>)[name], body)
}
