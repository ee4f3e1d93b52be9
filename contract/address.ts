import type { Endpoint } from './endpoint.ts'

/** The address of a call: fields that the path names are part of it, the others form the query. */
export function addressOf({ path }: Endpoint, fields: URLSearchParams): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = fields.get(name) ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  return fields.size ? `${filled}?${fields.toString()}` : filled
}
