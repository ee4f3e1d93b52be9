import { Type, type TSchema } from 'typebox'
import type { Endpoint } from '#contract/endpoint.ts'
import { refusals } from '#contract/errors.ts'

/** The schema that serialises a success: a field that it does not name never leaves the server. */
export function envelopeSchema(endpoint: Endpoint): TSchema {
  const { info, data } = endpoint
  return Type.Object({
    code: Type.Literal(200),
    ...(info ? { info: data ? Type.Optional(info) : info } : {}),
    ...(data ? { data: info ? Type.Optional(data) : data } : {}),
  })
}

/** What the OpenAPI document says of the answer with HTTP status 200: the success and every refusal. */
export function documentedSchema(endpoint: Endpoint): TSchema {
  const special = Object.entries(endpoint.refusals ?? {}).map(([code, info]) =>
    refusal(Type.Literal(Number(code)), info),
  )
  const field = Type.Object({ field: Type.Optional(Type.String()) })
  const codes = [...new Set(Object.values(refusals))].filter((code) => code !== refusals.locked)
  const general = refusal(Type.Unsafe<number>({ type: 'integer', enum: codes }), field)
  return Type.Union([...successes(endpoint), ...special, general])
}

/** Exactly one of `info` and `data`. */
function successes({ info, data }: Endpoint): TSchema[] {
  const code = Type.Literal(200)
  return [...(info ? [Type.Object({ code, info })] : []), ...(data ? [Type.Object({ code, data })] : [])]
}

function refusal(code: TSchema, info: TSchema): TSchema {
  return Type.Object({ code, message: Type.String({ minLength: 1 }), info })
}
