import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { RefusalName } from './errors.ts'

/**
 * One call of the site, declared once: the server's route, the browser's client and the OpenAPI document all take it
 * from here. `info` is the schema of an answer that is one record, `data` of one that is a list; a call whose answer
 * depends on what was asked has both. `refusals` are the shapes of `info` that go with codes other than 200. A part of
 * the path such as `:name` is the field of the query that is called so.
 */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE'
  path: `/api/${string}`
  summary: string
  query?: TObject
  body?: TObject
  /** How many bytes its body may have, where that is more than others'. */
  most?: number
  info?: TSchema
  data?: TSchema
  /** Every refusal there may be; the OpenAPI document and docs/calls.md take them from here. */
  refuses: readonly RefusalName[]
  refusals?: Record<number, TSchema>
  /** Takes an `Idempotency-Key`: the same key and body give the same answer. */
  idempotent?: boolean
}

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise
type Field<E, K extends string> = E extends Record<K, infer S> ? S : undefined

export type QueryOf<E extends Endpoint> = StaticOr<Field<E, 'query'>, Record<never, never>>
export type BodyOf<E extends Endpoint> = StaticOr<Field<E, 'body'>, Record<never, never>>
/** The content of the envelope: `info`, or `data` if there is no `info`. */
export type ResultOf<E extends Endpoint> =
  | StaticOr<Field<E, 'info'>, never>
  | StaticOr<Field<E, 'data'>, never>
/** What a handler answers: exactly one of the two. */
export type AnswerOf<E extends Endpoint> =
  | (Field<E, 'info'> extends TSchema ? { info: StaticOr<Field<E, 'info'>, never> } : never)
  | (Field<E, 'data'> extends TSchema ? { data: StaticOr<Field<E, 'data'>, never> } : never)

/** A click id of an ad, at most 512 characters (security.md, "Redirects"); a longer one is dropped by the server. */
const adIds = { fbclid: Type.Optional(Type.String()), ttclid: Type.Optional(Type.String()) }

/**
 * Declares a call. The ad click ids, which travel on every request (seed, section 6), are added to the query of a GET
 * and to the body of the others.
 */
export function endpoint<const E extends Endpoint>(definition: E): E {
  const part = definition.method === 'GET' ? 'query' : 'body'
  const fields: TProperties = definition[part]?.properties ?? {}
  return { ...definition, [part]: Type.Object({ ...adIds, ...fields }) }
}

/** Whether a value exported by a contract module is an endpoint. */
export function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'summary' in value
  )
}
