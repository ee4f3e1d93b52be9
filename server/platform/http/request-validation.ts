import { Ajv, type ValidateFunction } from 'ajv'
import type { DataValidationCxt } from 'ajv/dist/types/index.js'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler } from 'fastify'
import { bcp47Tags, languages } from '#contract/languages.ts'

/**
 * Creates the validator. The values of a query are strings and are converted to the type of their schema. The values of
 * a body have types and are validated strictly.
 */
function createAjv(coerceTypes: boolean): Ajv {
  // The schemas are not validated, because they are the contract's own. Validation would compile the meta-schema at
  // each start.
  const ownSchemas = { meta: false, validateSchema: false }
  const ajv = new Ajv({ coerceTypes, useDefaults: true, allErrors: false, strict: false, ...ownSchemas })
  addFormats.default(ajv, ['date-time'])
  acceptLanguageAliases(ajv)
  return ajv
}

/** The usual codes of languages that have another code here: "fr" for `fy`, "de" for `dy`. */
export const languageAliases = languages
  .filter((code) => bcp47Tags[code] !== code)
  .map((code) => [bcp47Tags[code], code] as const)

/**
 * Replaces aliases by the site's codes before validation: in a `LanguageCode`, and in the keys of texts by language.
 */
function acceptLanguageAliases(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: 'x-language',
    before: 'enum',
    schema: false,
    modifying: true,
    validate: (value: unknown, at?: DataValidationCxt) => {
      const [, code] = languageAliases.find(([alias]) => alias === value) ?? []
      if (code && at) at.parentData[at.parentDataProperty] = code
      return true
    },
  })
  ajv.addKeyword({
    keyword: 'x-keyed-by-language',
    type: 'object',
    before: 'properties',
    schema: false,
    modifying: true,
    validate: (texts: Record<string, unknown>) => {
      for (const [alias, code] of languageAliases) {
        if (alias in texts) texts[code] ??= texts[alias]
        delete texts[alias]
      }
      return true
    },
  })
}

// All sites of a process share the validators, because Ajv caches what it compiled.
const forQuery = once(() => createAjv(true))
const forBody = once(() => createAjv(false))

function once<T>(create: () => T): () => T {
  let created: { value: T } | undefined
  return () => (created ??= { value: create() }).value
}

/**
 * Compiles the contract's request schemas, each at its first call, because a process never serves most of the calls.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    const ajv = httpPart === 'body' ? forBody : forQuery
    let validate: ValidateFunction | undefined
    return (value: unknown) => {
      validate ??= ajv().compile(schema)
      return validate(value) || { error: validate.errors ?? [] }
    }
  }
}

/**
 * Creates a validator for values that did not arrive by HTTP, compiled once per process.
 * @returns a function that returns the first error, if any
 */
export function compileSchema(schema: object): (value: unknown) => string | undefined {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= forBody().compile(schema)
    if (validate(value)) return undefined
    const [error] = validate.errors ?? []
    const field = error?.instancePath.slice(1).replaceAll('/', '.')
    return `${field ? `${field} ` : ''}${error?.message ?? 'is invalid'}`
  }
}
