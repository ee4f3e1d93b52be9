import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'

/** A query arrives as text, so numbers in it are read; a body says its types itself and is held to them. */
function createAjv(coerceTypes: boolean): Ajv {
  const ajv = new Ajv({ coerceTypes, useDefaults: true, allErrors: false, strict: false })
  addFormats.default(ajv, ['date-time'])
  return ajv
}

/** Compiles the contract's schemas for what arrives, each when its call is first made: most processes never meet most calls. */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const forQuery = createAjv(true)
  const forBody = createAjv(false)
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? forBody : forQuery
    let validate: ValidateFunction | undefined
    return (value: unknown) => {
      validate ??= ajv.compile(schema)
      return validate(value) || { error: validate.errors ?? [] }
    }
  }
}

/** Checks a value that did not come by HTTP against a schema of the contract. @returns what is wrong with it, if anything */
export function compileSchema(schema: object): (value: unknown) => string | undefined {
  const validate = createAjv(false).compile(schema)
  return (value) => {
    if (validate(value)) return undefined
    const [error] = validate.errors ?? []
    const field = error?.instancePath.slice(1).replaceAll('/', '.')
    return `${field ? `${field} ` : ''}${error?.message ?? 'is not right'}`
  }
}
