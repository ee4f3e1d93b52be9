import { Type, type TSchema } from 'typebox'
import type { Endpoint } from '#contract/endpoint.ts'
import { refusals, type RefusalName } from '#contract/errors.ts'

/** Builds the schema that serialises a success. Fields that it does not name are never sent. */
export function envelopeSchema(endpoint: Endpoint): TSchema {
  const { info, data } = endpoint
  return Type.Object({
    code: Type.Literal(200),
    ...(info ? { info: data ? Type.Optional(info) : info } : {}),
    ...(data ? { data: info ? Type.Optional(data) : data } : {}),
  })
}

/** Builds the OpenAPI schema of HTTP status 200: the success and every refusal. */
export function documentedSchema(endpoint: Endpoint): TSchema {
  const withInfo = Object.entries(endpoint.refusalSchemas ?? {}).map(([code, info]) =>
    refusal(Type.Literal(Number(code)), info),
  )
  const [first, ...others] = [...successes(endpoint), ...withInfo, ...plainRefusal(endpoint)]
  return first && others.length === 0 ? first : Type.Union([...(first ? [first] : []), ...others])
}

/** Refusals whose `info` has the schema that the endpoint declares for their code (`refusalSchemas`). */
const refusalsWithInfo: readonly RefusalName[] = ['locked', 'secondFactorRequired', 'episodeNotReady']

/**
 * Builds the schema of the other refusals. Their `info` contains at most `field`: the form field that caused the
 * refusal.
 */
function plainRefusal({ refuses, refusalSchemas: shapes = {} }: Endpoint): TSchema[] {
  const names = refuses.filter((name) => !(refusalsWithInfo.includes(name) && refusals[name] in shapes))
  if (names.length === 0) return []
  const codes = [...new Set(names.map((name) => refusals[name]))]
  const field = Type.Object({ field: Type.Optional(Type.String()) })
  const description = names.map((name) => `${name} (${refusals[name]})`).join(', ')
  return [refusal(Type.Unsafe<number>({ type: 'integer', enum: codes, description }), field)]
}

/** Builds the schemas of a success: one with `info`, one with `data`, or both schemas. */
function successes({ info, data }: Endpoint): TSchema[] {
  const code = Type.Literal(200)
  return [...(info ? [Type.Object({ code, info })] : []), ...(data ? [Type.Object({ code, data })] : [])]
}

function refusal(code: TSchema, info: TSchema): TSchema {
  return Type.Object({ code, message: Type.String({ minLength: 1 }), info })
}
