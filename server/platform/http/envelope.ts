import { Type, type TSchema } from 'typebox'
import type { Endpoint } from '#contract/endpoint.ts'

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
  const general = refusal(Type.Integer(), Type.Object({ field: Type.Optional(Type.String()) }))
  return Type.Union([envelopeSchema(endpoint), ...special, general])
}

function refusal(code: TSchema, info: TSchema): TSchema {
  return Type.Object({ code, message: Type.String(), info })
}
