import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import type { RefusalName } from './errors.ts'

/**
 * An endpoint, declared once: the server's route, the browser's client and the OpenAPI document use this object. `info`
 * is the schema of a response with one record, `data` the schema of a response with a list. An endpoint has both if its
 * response depends on the request. `refusalSchemas` are the schemas of `info` for codes other than 200. A path segment
 * such as `:name` takes the value of the query field with that name.
 */
export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE'
  path: `/api/${string}`
  summary: string
  query?: TObject
  body?: TObject
  /** Maximum size of the body in bytes, if larger than the default. */
  maxBodyBytes?: number
  info?: TSchema
  data?: TSchema
  /** All possible refusals; the OpenAPI document and docs/calls.md list them from here. */
  refuses: readonly RefusalName[]
  refusalSchemas?: Record<number, TSchema>
  /** Accepts an `Idempotency-Key`: the same key and body return the same response. */
  idempotent?: boolean
}

type StaticOr<S, Otherwise> = S extends TSchema ? Static<S> : Otherwise
type Field<E, K extends string> = E extends Record<K, infer S> ? S : undefined

export type QueryOf<E extends Endpoint> = StaticOr<Field<E, 'query'>, Record<never, never>>
export type BodyOf<E extends Endpoint> = StaticOr<Field<E, 'body'>, Record<never, never>>
/** The content of the envelope: its `info` or its `data`, whichever the response has. */
export type ResultOf<E extends Endpoint> =
  | StaticOr<Field<E, 'info'>, never>
  | StaticOr<Field<E, 'data'>, never>
/** The response of a handler: exactly one of `info` and `data`. */
export type ResponseOf<E extends Endpoint> =
  | (Field<E, 'info'> extends TSchema ? { info: StaticOr<Field<E, 'info'>, never> } : never)
  | (Field<E, 'data'> extends TSchema ? { data: StaticOr<Field<E, 'data'>, never> } : never)

/** Click ids of ads. The server ignores click ids of more than 512 characters. */
const adClickIds = { fbclid: Type.Optional(Type.String()), ttclid: Type.Optional(Type.String()) }

/**
 * Declares an endpoint. Adds the ad click ids, which any request may carry, to the query of a GET and to the body of
 * other methods.
 */
export function endpoint<const E extends Endpoint>(definition: E): E {
  const part = definition.method === 'GET' ? 'query' : 'body'
  const fields: TProperties = definition[part]?.properties ?? {}
  return { ...definition, [part]: Type.Object({ ...adClickIds, ...fields }) }
}

/** Returns true if a value exported by a contract module is an endpoint. */
export function isEndpoint(value: unknown): value is Endpoint {
  return (
    typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'summary' in value
  )
}
