import { Type, type TSchema } from 'typebox'
import type { Endpoint } from '#contract/endpoint.ts'
import { refusals, type RefusalName } from '#contract/errors.ts'

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
  const shaped = Object.entries(endpoint.refusals ?? {}).map(([code, info]) =>
    refusal(Type.Literal(Number(code)), info),
  )
  const [first, ...others] = [...successes(endpoint), ...shaped, ...plainRefusal(endpoint)]
  return first && others.length === 0 ? first : Type.Union([...(first ? [first] : []), ...others])
}

/** The refusals with data besides the sentence, in the shape that the call declares for their code. */
const telling: readonly RefusalName[] = ['locked', 'secondFactorNeeded', 'beingMade']

/** The refusals whose `info` says no more than the form's field, if that. */
function plainRefusal({ refuses, refusals: shapes = {} }: Endpoint): TSchema[] {
  const names = refuses.filter((name) => !(telling.includes(name) && refusals[name] in shapes))
  if (names.length === 0) return []
  const codes = [...new Set(names.map((name) => refusals[name]))]
  const field = Type.Object({ field: Type.Optional(Type.String()) })
  const description = names.map((name) => `${name} (${refusals[name]})`).join(', ')
  return [refusal(Type.Unsafe<number>({ type: 'integer', enum: codes, description }), field)]
}

/** Exactly one of `info` and `data`. */
function successes({ info, data }: Endpoint): TSchema[] {
  const code = Type.Literal(200)
  return [...(info ? [Type.Object({ code, info })] : []), ...(data ? [Type.Object({ code, data })] : [])]
}

function refusal(code: TSchema, info: TSchema): TSchema {
  return Type.Object({ code, message: Type.String({ minLength: 1 }), info })
}
