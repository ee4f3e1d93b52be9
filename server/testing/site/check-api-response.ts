import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { viewerEndpoints, studioEndpoints } from '#contract/all-endpoints.ts'
import { languages } from '#contract/languages.ts'
import { translate } from '#server/i18n/translate.ts'

type Json = Record<string, unknown>

interface Operation {
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: Json }> }>
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>
  components: { responses: Operation['responses'] }
}

/** Checks responses against the site's own OpenAPI document. */
export interface ResponseCheck {
  /** Checks a response. @throws Error with the call and the difference */
  check(method: string, path: string, response: Response): Promise<void>
}

/**
 * Cache of the checks, by the text of the document. Most sites of a test run have the same document, and compiling its
 * schemas takes longer than most tests.
 */
const checks = new Map<string, ResponseCheck>()

/** Returns a function that loads the check for the site at a URL. The document is read once, at the first response. */
export function createResponseCheck(url: string): () => Promise<ResponseCheck> {
  let check: ResponseCheck | undefined
  return async () => (check ??= await load(url))
}

async function load(url: string): Promise<ResponseCheck> {
  const text = await (await fetch(`${url}/api/openapi.json`)).text()
  const check = checks.get(text) ?? checkAgainst(JSON.parse(text) as ApiDocument)
  checks.set(text, check)
  return check
}

function checkAgainst(document: ApiDocument): ResponseCheck {
  // Does not optimize the compiled code, because it runs only a few times.
  const ajv = new Ajv({ strict: false, code: { optimize: false } })
  addFormats.default(ajv, ['date-time'])
  const compiled = new Map<object, ValidateFunction>()
  const validatorOf = (schema: Json) => {
    const validator = compiled.get(schema) ?? ajv.compile(forbidAdditionalProperties(schema) as Json)
    compiled.set(schema, validator)
    return validator
  }
  return {
    async check(method, path, response) {
      const found = operationFor(document, method, path)
      const where = `${method} ${path} with HTTP ${response.status}`
      const described = answerFor(document, found, response.status)
      if (!described) throw new Error(`${where} is not in the OpenAPI document`)
      const type = response.headers.get('content-type')?.split(';')[0] ?? ''
      const content = described.content?.[type]
      if (!described.content) return
      if (!content)
        throw new Error(`${where} has the content type ${type}, which the OpenAPI document does not declare`)
      if (!content.schema || type !== 'application/json') return
      const answer: unknown = await response.json()
      const validate = validatorOf(content.schema)
      if (!validate(answer))
        throw new Error(
          `${where} does not match the OpenAPI document: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(answer)}`,
        )
      if (response.status === 200) checkRefusal(method, path, answer as Answer)
    },
  }
}

interface Answer {
  code: number
  message?: string
  info?: Json
}

/**
 * Checks that the endpoint declares a refusal. In the document, refusals with the same code differ only by name. So the
 * check identifies the refusal by the response's message.
 */
function checkRefusal(method: string, path: string, { code, message, info }: Answer): void {
  if (code === 200) return
  const endpoint = [...viewerEndpoints, ...studioEndpoints].find(
    (call) => call.method === method && patternOf(namedPath(call.path)).test(path),
  )
  if (!endpoint) return
  const declared = endpoint.refuses.flatMap((name) =>
    languages.map((language) => translate(language, `refusals.${name}`, info)),
  )
  if (!declared.includes(message ?? ''))
    throw new Error(`${method} ${path} does not declare the refusal "${message}"`)
}

const namedPath = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')

function operationFor({ paths }: ApiDocument, method: string, path: string): Operation | undefined {
  const template = paths[path] ? path : Object.keys(paths).find((each) => patternOf(each).test(path))
  return template === undefined ? undefined : paths[template]?.[method.toLowerCase()]
}

const patterns = new Map<string, RegExp>()

function patternOf(template: string): RegExp {
  const pattern =
    patterns.get(template) ??
    new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  patterns.set(template, pattern)
  return pattern
}

/** Returns the documented response. For an unknown path, only the general faults with status 4xx are documented. */
function answerFor({ components }: ApiDocument, operation: Operation | undefined, status: number) {
  const answer = operation?.responses[status]
  if (!operation) return status >= 400 && status < 500 ? components.responses[`fault${status}`] : undefined
  const reference = answer?.$ref?.split('/').at(-1)
  return reference === undefined ? answer : components.responses[reference]
}

/** Returns the schema with additional properties forbidden. */
function forbidAdditionalProperties(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(forbidAdditionalProperties)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, forbidAdditionalProperties(value)]),
  )
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...inner, additionalProperties: false }
    : inner
}
