import type { TObject } from 'typebox'
import type { Endpoint } from '#contract/endpoint.ts'
import { isCommand } from '#contract/studio/command.ts'
import { faults, type FaultName } from '#contract/errors.ts'
import { callExamples, type CallExample } from '#contract/examples.ts'
import { documentedSchema } from './envelope.ts'
import type { BytesRoute, PlainDescription, PlainRoute, Route } from './route.ts'

interface DescribedRoutes {
  publicUrl: string
  routes: readonly Pick<Route, 'endpoint'>[]
  plainRoutes: readonly PlainRoute[]
  bytesRoutes?: readonly BytesRoute[]
}

/**
 * Describes the API as an OpenAPI 3.1 document: every endpoint of the contract, the uploads of bytes, and those plain
 * routes that have a description.
 */
export function describeApi({ publicUrl, routes, plainRoutes, bytesRoutes = [] }: DescribedRoutes): object {
  const paths: Record<string, Record<string, object>> = {}
  const add = (method: string, path: string, operation: object) => {
    const name = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[name] = { ...paths[name], [method.toLowerCase()]: operation }
  }
  for (const { endpoint } of routes) add(endpoint.method, endpoint.path, describeCall(endpoint))
  for (const { method, path, description } of plainRoutes)
    if (description) add(method, path, describePlain(method, path, description))
  for (const route of bytesRoutes) add('POST', route.path, describeBytes(route))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cliffhanger',
      version: '1',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { securitySchemes, parameters: headers, responses: faultResponses() },
  }
}

/** Tags by the first part of the path; `operations` for other paths. */
const tags = {
  user: 'The user: account, sessions, privacy, history and favorites',
  homepage: 'The homepage and its lists',
  video: 'Dramas, episodes and their playback',
  payment: 'Plans, orders and payments',
  studio: 'Commands of operators, by role',
  webhook: 'Events that payment gateways send to the site',
  operations: 'The site as a whole: texts, analytics, health',
} as const
type Tag = keyof typeof tags

const tagOfPart: Record<string, Tag> = { plan: 'payment', playback: 'video' }

function tagOf(path: string): Tag {
  const part = path.split('/')[2] ?? ''
  if (part in tagOfPart) return tagOfPart[part] ?? 'operations'
  const known = Object.keys(tags).find((tag) => tag === part)
  // The cast is safe: the value is one of the keys, as tested above.
  return (known as Tag | undefined) ?? 'operations'
}

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-session',
    description:
      'The session cookie of a member. Its name has no `__Host-` prefix if the site does not use https',
  },
  guest: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-guest',
    description: 'The cookie of a guest, set by the first response',
  },
  userToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-user-token',
    description: 'The token of a client without cookies',
  },
  operator: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-operator',
    description: 'The session cookie of an operator',
  },
} as const

/** Anyone may call; the answer may depend on the caller. */
const forViewers = [{ session: [] }, { guest: [] }, { userToken: [] }, {}]
const forOperators = [{ operator: [] }]

/** Describes the common parts of an operation: its name for generated clients, its tag, and its security. */
function describeOperation(method: string, path: string, command?: string) {
  const tag = tagOf(path)
  const words = command ?? `${method.toLowerCase()} ${path.slice('/api/'.length)}`
  const parts = words.split(/[^A-Za-z0-9]+/).filter(Boolean)
  const name = parts
    .map((part, i) => (i === 0 ? part : part.charAt(0).toUpperCase() + part.slice(1)))
    .join('')
  return {
    operationId: command === undefined ? name : `studio${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    tags: [tag],
    security: tag === 'studio' ? forOperators : forViewers,
  }
}

const introduction =
  'Every response is an envelope. HTTP status 200 means that the request was understood. Its `code` is then the result: ' +
  '200 for success, 500 for a refusal whose `message` is shown to the user, any other code for a refusal that the ' +
  'client handles. Any other HTTP status means that the request was invalid or could not be served; `code` repeats it.'

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const headers = {
  userToken: header('x-user-token', 'The token of a client without cookies'),
  referrerToken: header(
    'x-referrer-token',
    'The code of the campaign or member that referred the visitor, percent-encoded in UTF-8; text that cannot be decoded is used as it is',
  ),
  fbclid: header('x-fbclid', 'The click id of an ad at Meta'),
  ttclid: header('x-ttclid', 'The click id of an ad at TikTok'),
  language: header('accept-language', 'The response is in the first of these languages that the site offers'),
  timeZone: header('x-time-zone', 'The IANA name of the browser’s time zone, used for dates in mails'),
  idempotencyKey: header(
    'idempotency-key',
    'The same key and body return the same response; the same key with another body returns code 409',
  ),
} as const

function describeCall(endpoint: Endpoint): object {
  const { method, summary, query, body, idempotent } = endpoint
  const unsafe = method !== 'GET'
  const names = Object.keys(headers).filter(
    (name) => (name !== 'idempotencyKey' || idempotent) && (name !== 'timeZone' || unsafe),
  )
  const examples = callExamples.filter((example) => example.endpoint === endpoint)
  const [bodyExample] = examples.flatMap(({ body: sent }) => sent ?? [])
  const references = names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
  return {
    ...describeOperation(method, endpoint.path, isCommand(endpoint) ? endpoint.command : undefined),
    summary,
    parameters: [...(query ? queryParameters(query, endpoint.path) : []), ...references],
    ...(unsafe && body
      ? { requestBody: { content: json(body, bodyExample && { example: bodyExample }) } }
      : {}),
    responses: {
      200: {
        description: 'The request was understood: it succeeded, or was refused with a code in the body',
        content: json(documentedSchema(endpoint), describeExamples(examples)),
      },
      ...faultReferences(unsafe),
    },
  }
}

function describePlain(method: string, path: string, description: PlainDescription): object {
  const { summary, query, body, answers } = description
  const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const own = Object.entries(answers).map(([status, { words, type, schema }]) => [
    status,
    { description: words, ...(type ? { content: { [type]: schema ? { schema } : {} } } : {}) },
  ])
  return {
    ...describeOperation(method, path),
    summary,
    parameters: [...named, ...(query ? queryParameters(query) : [])],
    ...(body ? { requestBody: { content: { [body]: {} } } } : {}),
    responses: { ...faultReferences(method !== 'GET'), ...Object.fromEntries(own) },
  }
}

function describeBytes({ path, summary, info, refuses }: BytesRoute): object {
  const words = 'The request was understood: it succeeded, or was refused with a code in the body'
  const answer = { method: 'POST', path, summary, refuses, info } as const
  const answers = { 200: { words, type: 'application/json', schema: documentedSchema(answer) } }
  return describePlain('POST', path, { summary, body: 'application/octet-stream', answers })
}

function queryParameters({ properties, required }: TObject, path = ''): object[] {
  const needed = new Set<string>(required)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: path.split('/').includes(`:${name}`) ? 'path' : 'query',
    required: needed.has(name),
    schema,
  }))
}

function describeExamples(examples: readonly CallExample[]): object {
  if (examples.length === 0) return {}
  const entries = examples.map(({ summary, response }, index) => [
    `example${index + 1}`,
    { summary, value: response },
  ])
  return { examples: Object.fromEntries(entries) }
}

function json(schema: object, examples: object = {}): object {
  return { 'application/json': { schema, ...examples } }
}

const faultNames = Object.keys(faults) as FaultName[]
const statuses = [...new Set(Object.values(faults))]
const withBodyOnly = new Set<number>([faults.crossOrigin, faults.requestTooLarge, faults.unsupportedMedia])

function faultReferences(unsafe: boolean): object {
  const possible = statuses.filter((status) => unsafe || !withBodyOnly.has(status))
  return Object.fromEntries(
    possible.map((status) => [status, { $ref: `#/components/responses/fault${status}` }]),
  )
}

/** Returns the response of each HTTP status that faults use. Several faults may share a status. */
function faultResponses(): object {
  return Object.fromEntries(
    statuses.map((status) => {
      const names = faultNames.filter((name) => faults[name] === status)
      return [`fault${status}`, faultResponse(status, names)]
    }),
  )
}

function faultResponse(status: number, names: readonly FaultName[]): object {
  const waits = names.includes('tooManyRequests') || names.includes('unavailable')
  const seconds = { description: 'Seconds to wait before a retry', schema: { type: 'integer' } }
  return {
    description: names.join(', '),
    ...(waits ? { headers: { 'retry-after': seconds } } : {}),
    content: json({
      type: 'object',
      required: ['code', 'message', 'info'],
      properties: {
        code: { type: 'integer', enum: [status] },
        message: { type: 'string', minLength: 1 },
        info: { type: 'object', properties: {} },
      },
    }),
  }
}
