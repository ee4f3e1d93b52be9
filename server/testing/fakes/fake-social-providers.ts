import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface OauthEndpoints {
  authorize: string
  token: string
  profile: string
  /** Name of the request parameter that contains the client id. */
  idName: string
  secret: string
  present(who: { id: string; name: string }): object
}

/** The parts of Facebook and TikTok that sign-in uses. They refuse the same requests as the real ones. */
const oauthProviders: OauthEndpoints[] = [
  {
    authorize: '/facebook/v23.0/dialog/oauth',
    token: '/facebook/v23.0/oauth/access_token',
    profile: '/facebook/v23.0/me',
    idName: 'client_id',
    secret: 'facebook-secret',
    present: ({ id, name }) => ({ id, name, email: 'ada@example.com' }),
  },
  {
    authorize: '/tiktok/v2/auth/authorize/',
    token: '/tiktok/v2/oauth/token/',
    profile: '/tiktok/v2/user/info/',
    idName: 'client_key',
    secret: 'tiktok-secret',
    present: ({ id, name }) => ({
      data: { user: { open_id: id, display_name: name } },
      error: { code: 'ok' },
    }),
  },
]

export interface FakeSocialProviders {
  url: string
  /** The user who is signed in at the provider. */
  profile: { id: string; name: string }
  /** Handlers that replace the normal responses. The key is the end of the request's path. */
  faultHandlers: Map<string, (response: ServerResponse) => void>
  close(): Promise<void>
}

/** Starts a server on a free port. It behaves like Facebook under `/facebook` and like TikTok under `/tiktok`. */
export async function startFakeSocialProviders(): Promise<FakeSocialProviders> {
  const codes = new Map<string, URLSearchParams>()
  const tokens = new Set<string>()
  const providers = {
    who: { id: '1', name: 'Ada' },
    faultHandlers: new Map<string, (response: ServerResponse) => void>(),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const [, faultHandler] = [...providers.faultHandlers].find(([end]) => url.pathname.endsWith(end)) ?? []
    if (faultHandler) return faultHandler(response)
    const json = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url.pathname === '/elsewhere') return json(200, userResponse)
    const oauth = oauthProviders.find(({ authorize, token, profile }) =>
      [authorize, token, profile].includes(url.pathname),
    )
    if (!oauth) return json(404, { error: 'no such path' })
    if (url.pathname === oauth.authorize) return grantCode(url.searchParams, response)
    if (url.pathname === oauth.token) {
      const body = new URLSearchParams(await text(request))
      if (!isValidTokenRequest(oauth, body))
        return json(400, { error: 'invalid_grant', error_description: 'refused' })
      const token = randomUUID()
      tokens.add(token)
      return json(200, { access_token: token, token_type: 'bearer', expires_in: 3600 })
    }
    if (!tokens.has(request.headers.authorization?.replace(/^bearer /i, '') ?? ''))
      return json(401, { error: 'invalid_token' })
    return json(200, oauth.present(providers.who))
  }
  const grantCode = (params: URLSearchParams, response: ServerResponse): void => {
    const code = randomUUID()
    codes.set(code, params)
    const back = new URL(params.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', params.get('state') ?? '')
    response.writeHead(302, { location: back.href }).end()
  }
  const isValidTokenRequest = ({ idName, secret }: OauthEndpoints, body: URLSearchParams): boolean => {
    const authorization = codes.get(body.get('code') ?? '')
    codes.delete(body.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    return (
      authorization?.get('code_challenge') === challenge &&
      authorization.get(idName) === body.get(idName) &&
      authorization.get('redirect_uri') === body.get('redirect_uri') &&
      body.get('client_secret') === secret
    )
  }
  // Does not close idle connections, because a client on a slow machine may be about to use one.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The cast is safe: a listening TCP server has an AddressInfo.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ...providers,
    url,
    get profile() {
      return providers.who
    },
    set profile(who) {
      providers.who = who
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A profile that is valid for both providers, so that only the fault makes a response invalid. */
const userResponse = { id: 'x', data: { user: { open_id: 'x' } } }

/** Faulty responses of a provider. */
export const providerFaults = {
  silent: () => {},
  broken: (response: ServerResponse) =>
    void response.writeHead(500, { 'content-type': 'application/json' }).end(JSON.stringify(userResponse)),
  rubbish: (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  empty: (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  verbose: (response: ServerResponse) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...userResponse, more: 'x'.repeat(300_000) })),
  elsewhere: (response: ServerResponse) => void response.writeHead(302, { location: '/elsewhere' }).end(),
}
