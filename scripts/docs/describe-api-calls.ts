import type { TObject, TSchema } from 'typebox'
import { viewerEndpoints as allCalls } from '#contract/all-endpoints.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import { refusals } from '#contract/errors.ts'
import { rules, seedCalls, type CallDocumentation, type TestReference } from './api-call-tests.ts'

/** All endpoints of the contract, by method and path. */
export const calls = new Map(allCalls.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]))

/**
 * Returns the content of docs/calls.md: the calls of the seed (the project's specification), the rules for all calls,
 * and the other calls.
 */
export function describeCalls(): string {
  // Sorted by path, because the export order of a module varies.
  const others = [...calls.keys()]
    .filter((name) => !(name in seedCalls))
    .toSorted(
      (one, other) =>
        one.slice(one.indexOf('/')).localeCompare(other.slice(other.indexOf('/'))) ||
        one.localeCompare(other),
    )
  return `${[
    '# The calls',
    introduction,
    '## The 24 calls of the seed',
    table(
      ['Call', 'Parameters', 'Returns', 'Refusals', 'Callers', 'Tests'],
      Object.entries(seedCalls).map(([name, note]) => seedRow(name, note)),
    ),
    '## Headers, cookies and start-up',
    table(
      ['Rule', 'Tests'],
      rules.map(({ rule, proofs }) => [rule, proofs.map(testLink).join('; ')]),
    ),
    '## The calls beyond the seed',
    table(
      ['Call', 'Description', 'Parameters', 'Refusals'],
      others.map((name) => {
        const call = calls.get(name)
        return [`\`${name}\``, call?.summary ?? '', parametersOf(call), refusalsOf(call)]
      }),
    ),
  ].join('\n\n')}\n`
}

const introduction = `\`npm run docs\` generates this file from \`contract/\`; a test checks that it is up to date. The same declarations validate
requests, serialise responses and generate \`/api/openapi.json\`, which has every field and type. In addition to the listed refusals,
each call may return an HTTP error (400, 404, 408, 413, 415, 429, 431, 500, 503, and 403 from another site) in the same envelope.
Every call accepts \`fbclid\` and \`ttclid\`, which are omitted here. Numbers in brackets are the envelope's \`code\`.`

/** Routes outside the contract, whose responses have no envelope. */
const plainCalls: Record<string, { takes: string; gives: string }> = {
  'GET /api/statics.png': { takes: '`event`, its fields', gives: 'a 1×1 PNG, `no-store`' },
  'GET /api/webhook/payment/paypal-cancel': {
    takes: "`token` (PayPal's)",
    gives: 'HTTP 303 to `/order/result`, with `order_id` if the token is known',
  },
}

function seedRow(name: string, { callers, tests }: CallDocumentation): string[] {
  const call = calls.get(name)
  const plain = plainCalls[name]
  if (!call && !plain) throw new Error(`There is no call ${name}`)
  return [
    `\`${name}\``,
    plain?.takes ?? parametersOf(call),
    plain?.gives ?? resultOf(call),
    refusalsOf(call),
    callers,
    tests.map(testLink).join('; '),
  ]
}

export function testLink([file, name]: TestReference): string {
  return `[${name}](../${file})`
}

function parametersOf(call: Endpoint | undefined): string {
  const schema = call?.method === 'GET' ? call.query : call?.body
  const names = fields(schema).filter((name) => !/^(fbclid|ttclid)\??$/.test(name))
  const key = call?.idempotent ? ['`Idempotency-Key`'] : []
  return [...names.map((name) => `\`${name}\``), ...key].join(', ') || '–'
}

function resultOf(call: Endpoint | undefined): string {
  const parts = [
    ...(call?.info ? [`\`info\` {${fields(call.info).join(', ')}}`] : []),
    ...(call?.data
      ? [`\`data\` {${fields(call.data).join(', ')}} of {${fields(itemOf(call.data)).join(', ')}}`]
      : []),
  ]
  return parts.join(', or ')
}

function refusalsOf(call: Endpoint | undefined): string {
  return call?.refuses.map((name) => `${name} (${refusals[name]})`).join(', ') || '–'
}

/** Returns the names of a schema's fields. Optional fields have a question mark. */
function fields(schema: TSchema | undefined): string[] {
  if (!isObject(schema)) return []
  const requiredFields = new Set<string>(schema.required)
  return Object.keys(schema.properties).map((name) => (requiredFields.has(name) ? name : `${name}?`))
}

function itemOf(data: TSchema): TSchema | undefined {
  const list: unknown = isObject(data) ? data.properties['list'] : undefined
  return typeof list === 'object' && list !== null && 'items' in list ? (list.items as TSchema) : undefined
}

function isObject(schema: TSchema | undefined): schema is TObject {
  return schema !== undefined && 'properties' in schema
}

export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
