import type { Endpoint } from './endpoint.ts'

/** Where a call is made: the fields that the path names stand in it, the others behind it. */
export function addressOf({ path }: Endpoint, fields: URLSearchParams): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = fields.get(name) ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  return fields.size ? `${filled}?${fields.toString()}` : filled
}
