import type { Endpoint } from './endpoint.ts'

/**
 * Builds the URL of a request. Fields that the path names (`:name`) are inserted there and removed from `fields`; the
 * others become the query.
 */
export function endpointUrl({ path }: Endpoint, fields: URLSearchParams): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = fields.get(name) ?? ''
    fields.delete(name)
    return encodeURIComponent(value)
  })
  return fields.size ? `${filled}?${fields.toString()}` : filled
}
