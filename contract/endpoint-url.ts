import type { Endpoint } from './endpoint.ts'

/** Builds the URL of a request: fields named in the path fill it, the others become the query. */
export function endpointUrl({ path }: Endpoint, fields: URLSearchParams): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = fields.get(name) ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  return fields.size ? `${filled}?${fields.toString()}` : filled
}
