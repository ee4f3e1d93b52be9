import fastJson from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

/** Compiles the contract's response schemas, each at the first call: a compiled schema takes up to 100 KB. */
export function createSerialiserCompiler(): FastifySerializerCompiler<object> {
  return ({ schema }) => {
    let serialise: ((answer: unknown) => string) | undefined
    return (answer) => {
      serialise ??= fastJson(schema)
      return serialise(answer)
    }
  }
}
