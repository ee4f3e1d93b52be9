import { endpointUrl } from '#contract/endpoint-url.ts'
import type { BodyOf, Endpoint, QueryOf, ResultOf } from '#contract/endpoint.ts'
import { createResponseCheck } from './check-api-response.ts'

export interface Envelope<T> {
  code: number
  message?: string
  info?: T
  data?: T
}

interface RequestOptions<E extends Endpoint> {
  query?: QueryOf<E>
  body?: BodyOf<E>
  headers?: Record<string, string>
}

/** Returns a function that creates visitors of a site. They share its OpenAPI document. */
export function visitorFactory(url: string): (headers?: Record<string, string>) => Visitor {
  const check = createResponseCheck(url)
  return (headers) => new Visitor(url, headers, check)
}

/** A browser as the server sees it: it stores cookies and marks its requests as same-origin. */
export class Visitor {
  readonly url: string
  cookie = ''
  readonly #headers: Record<string, string>
  readonly #check: ReturnType<typeof createResponseCheck>

  constructor(url: string, headers: Record<string, string> = {}, check = createResponseCheck(url)) {
    this.url = url
    this.#headers = headers
    this.#check = check
  }

  /**
   * Sends any request with the visitor's cookie.
   * @throws Error if the response to an API call does not match the OpenAPI document
   */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      ...(this.cookie ? { cookie: this.cookie } : {}),
      'sec-fetch-site': 'same-origin',
      ...this.#headers,
      ...init.headers,
    }
    const response = await fetch(this.url + path, { redirect: 'manual', ...init, headers })
    for (const header of response.headers.getSetCookie()) this.#storeCookie(header)
    const { pathname } = new URL(path, this.url)
    if (pathname.startsWith('/api/') && pathname !== '/api/openapi.json')
      await (await this.#check()).check(init.method ?? 'GET', pathname, response.clone())
    return response
  }

  #storeCookie(header: string): void {
    const [pair = ''] = header.split(';')
    const name = pair.slice(0, pair.indexOf('=') + 1)
    const others = this.cookie.split('; ').filter((each) => each !== '' && !each.startsWith(name))
    this.cookie = (/max-age=0(;|$)/i.test(header) ? others : [...others, pair]).join('; ')
  }

  /** Sends an API call of the contract. @returns the HTTP status and the response's envelope */
  async call<E extends Endpoint>(
    endpoint: E,
    { query, body, headers }: RequestOptions<E> = {},
  ): Promise<{ status: number; headers: Headers; answer: Envelope<ResultOf<E>> }> {
    const search = new URLSearchParams(
      Object.entries(query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const response = await this.fetch(endpointUrl(endpoint, search), {
      method: endpoint.method,
      headers: { ...(endpoint.method === 'GET' ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(endpoint.method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
    })
    return {
      status: response.status,
      headers: response.headers,
      answer: (await response.json()) as Envelope<ResultOf<E>>,
    }
  }

  /** Sends an API call and returns its result. @throws Error with the response if the call does not succeed */
  async callOk<E extends Endpoint>(endpoint: E, options: RequestOptions<E> = {}): Promise<ResultOf<E>> {
    const { answer } = await this.call(endpoint, options)
    const result = answer.info ?? answer.data
    if (answer.code !== 200 || result === undefined)
      throw new Error(`${endpoint.path} returned ${JSON.stringify(answer)}`)
    return result
  }
}
