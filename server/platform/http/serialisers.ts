import fastJson from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify'

/** Compiles the contract's schemas for what is answered, each when its call is first made: compiled, a call's takes up to 100 KB. */
export function createSerialiserCompiler(): FastifySerializerCompiler<object> {
  return ({ schema }) => {
    let serialise: ((answer: unknown) => string) | undefined
    return (answer) => {
      serialise ??= fastJson(schema)
      return serialise(answer)
    }
  }
}
