import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { viewerEndpoints } from '#contract/all-endpoints.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { getUser } from '#contract/members.ts'
import { validFields } from '#server/testing/valid-fields.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

/** Invalid values for any field of any type. */
const bad: Record<string, unknown> = {
  NUL: 'a\0b',
  'a lone surrogate': '\ud800',
  'a long text': 'x'.repeat(60_000),
  'an empty text': '',
  'a blank text': ' ',
  'a right-to-left text': '\u202e‮é́́\u{1f468}‍',
  'a text that grows when it is normalised': '\u3300'.repeat(200),
  'a quote': "'; DROP TABLE users; --",
  null: null,
  'a number': 1e308,
  'a negative number': -1,
  'a fraction': 0.5,
  'a number beyond the safe integers': 2 ** 53,
  'a boolean': true,
  'a list': ['a', 'b'],
  'a deep list': nested(2000),
  'an object': { a: 1 },
  'a far date': '+275760-09-13T00:00:00.000Z',
  'an impossible date': '2026-02-30T25:61:00Z',
}

function nested(depth: number): unknown {
  return depth === 0 ? [] : [nested(depth - 1)]
}

interface TestRequest {
  name: string
  path: string
  init: RequestInit
}

const post = (method: string, body: string): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body,
})

/** Returns one request per field and invalid value; the other fields are valid. */
function requestsWithInvalidFields({ method, path, query, body }: Endpoint): TestRequest[] {
  const schema = method === 'GET' ? query : body
  // Skips the click ids, which every call accepts and handles in the same way.
  const fields = Object.keys(schema?.properties ?? {}).filter(
    (name) => name !== 'ttclid' && name !== 'fbclid',
  )
  const usual = schema ? validFields(schema) : {}
  return fields.flatMap((field) =>
    Object.entries(bad).map(([name, value]): TestRequest => {
      const params = { ...usual, [field]: value }
      return method === 'GET'
        ? { name: `${field}: ${name}`, path: `${path}?${toQuery(params)}`, init: {} }
        : { name: `${field}: ${name}`, path, init: post(method, JSON.stringify(params)) }
    }),
  )
}

/** Encodes a query, including lone surrogates, which URLSearchParams would replace. */
function toQuery(params: Record<string, unknown>): string {
  return Object.entries(params)
    .flatMap(([name, value]) => (Array.isArray(value) ? value.map((each) => [name, each]) : [[name, value]]))
    .map(([name, value]) => {
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      return `${String(name)}=${text.isWellFormed() ? encodeURIComponent(text.slice(0, 8000)) : '%ED%A0%80'}`
    })
    .join('&')
}

/** Requests that are malformed as a whole. */
function malformedRequests({ method, path }: Endpoint): TestRequest[] {
  const queries = [
    '?a=%',
    '?%=1',
    '?x=%00',
    '?x=%ff%fe',
    '?__proto__=1',
    '?constructor[prototype]=1',
    '?a=1&a=2',
    '?=',
  ]
  const requests = queries.map((query): TestRequest => ({
    name: query,
    path: path + query,
    init: method === 'GET' ? {} : post(method, '{}'),
  }))
  const wrong = ['PUT', 'PATCH'].map((other): TestRequest => ({
    name: other,
    path,
    init: { method: other },
  }))
  if (method === 'GET') return [...requests, ...wrong]
  const bodies: Record<string, BodyInit> = {
    'no JSON': '{"a":',
    'no object': '[1]',
    'JSON null': 'null',
    'a prototype': '{"__proto__":{"x":1},"a":1}',
    'a constructor': '{"constructor":{"prototype":{"x":1}}}',
    'deep JSON': `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    'a megabyte': JSON.stringify({ a: 'x'.repeat(1_000_000) }),
    'no UTF-8': new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
    nothing: '',
  }
  const json = { 'content-type': 'application/json' }
  return [
    ...requests,
    ...wrong,
    ...Object.entries(bodies).map(([name, body]): TestRequest => ({
      name,
      path,
      init: { method, headers: json, body },
    })),
    { name: 'a form', path, init: { method, body: new URLSearchParams({ a: '1' }) } },
    { name: 'text', path, init: { method, body: 'hello' } },
    { name: 'an odd type', path, init: { method, headers: { 'content-type': ';;' }, body: '{}' } },
  ]
}

let site: TestSite
let visitor: Visitor
beforeAll(async () => {
  site = await startTestSite({}, generous)
  visitor = site.visitor()
  await visitor.callOk(getUser)
})
afterAll(() => site.close())

/** Rate limits high enough not to hide the tested response. */
const generous = Object.fromEntries(
  [
    'SIGN_IN_PER_ACCOUNT',
    'SIGN_IN_PER_IP',
    'REGISTER_PER_IP',
    'MAIL_LINKS_PER_ACCOUNT',
    'CARD_FAILURES_PER_USER',
    'CARD_FAILURES_PER_IP',
    'CONTACT_PER_IP',
  ].map((name) => [`RATE_LIMIT_${name}`, '100000/min']),
)

/** A stack trace, an SQL statement or a file path. */
const leaks = /\bat \w+.*\(|node_modules|\.ts:\d|\bSELECT\b|\bINSERT\b|syntax error/

async function sendRequest({ name, path, init }: TestRequest): Promise<string | undefined> {
  const response = await visitor.fetch(path, init)
  const text = await response.text()
  const answer = JSON.parse(text) as { code?: unknown; message?: unknown }
  const { status } = response
  const worded = answer.code === 200 || (typeof answer.message === 'string' && answer.message.length > 5)
  const fits = status === 200 ? typeof answer.code === 'number' : answer.code === status
  if (status < 500 && fits && worded && !leaks.test(text)) return undefined
  return `${name}: HTTP ${status} ${text.slice(0, 200)}`
}

describe.each(viewerEndpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    it('answers every invalid request in the envelope, without a 5xx or internal details', async () => {
      const requests = [...requestsWithInvalidFields(endpoint), ...malformedRequests(endpoint)]
      const failures = await Promise.all(requests.map(sendRequest))
      expect(failures.filter((failure) => failure !== undefined)).toEqual([])
    })
  },
)
