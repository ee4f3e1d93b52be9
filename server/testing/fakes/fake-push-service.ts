import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Agent } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import type { PushMessage, PushSubscription } from '#contract/alerts.ts'

/** A push message as received by the service. */
interface ReceivedPush {
  host: string | undefined
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

type Reply = { status: number; headers?: Record<string, string> } | 'nothing'

/** A fake push service over HTTP that records what is posted and responds as configured by the test. */
export interface FakePushService {
  taken: ReceivedPush[]
  reply: (taken: ReceivedPush) => Reply | Promise<Reply>
  /** Leads to the service, whatever the host: the internet's name service and certificates are not here. */
  agent: Agent
  close(): Promise<void>
}

export async function startFakePushService(): Promise<FakePushService> {
  const service: Pick<FakePushService, 'taken' | 'reply'> = { taken: [], reply: () => ({ status: 201 }) }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const { url: path = '', headers } = request
      const taken = { host: headers.host, path, headers, body: Buffer.concat(parts) }
      service.taken.push(taken)
      const reply = await service.reply(taken)
      if (reply === 'nothing') return
      response.writeHead(reply.status, reply.headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo
  const agent = new Agent()
  agent.createConnection = () => connect(port, '127.0.0.1')
  return Object.assign(service, {
    agent,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

/** A browser that is subscribed at a push service, and can decrypt its messages. */
export class PushBrowser {
  readonly subscription: PushSubscription
  readonly #keys = createECDH('prime256v1')
  readonly #auth = randomBytes(16)

  constructor(host = 'push.example.com') {
    this.subscription = {
      endpoint: `https://${host}/send/${randomBytes(12).toString('hex')}`,
      p256dh: this.#keys.generateKeys('base64url'),
      auth: this.#auth.toString('base64url'),
    }
  }

  /** Returns the messages posted for this browser, decrypted, in order. */
  read(service: Pick<FakePushService, 'taken'>): PushMessage[] {
    const { pathname } = new URL(this.subscription.endpoint)
    return service.taken.filter(({ path }) => path === pathname).map(({ body }) => this.#open(body))
  }

  /** Decrypts a body by RFC 8291: one record of RFC 8188, with the sender's key as its id. */
  #open(body: Buffer): PushMessage {
    const salt = body.subarray(0, 16)
    const sender = body.subarray(21, 21 + (body[20] ?? 0))
    const ciphertext = body.subarray(21 + sender.length)
    const context = Buffer.concat([Buffer.from('WebPush: info\0'), this.#keys.getPublicKey(), sender])
    const shared = Buffer.from(hkdfSync('sha256', this.#keys.computeSecret(sender), this.#auth, context, 32))
    const derive = (purpose: string, bytes: number) =>
      Buffer.from(hkdfSync('sha256', shared, salt, `Content-Encoding: ${purpose}\0`, bytes))
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
    decipher.setAuthTag(ciphertext.subarray(-16))
    const padded = Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()])
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString()) as PushMessage
  }
}

/** Returns the site's VAPID claims of a push (RFC 8292). @throws Error if the signature is not by that key */
export function verifyVapid(
  { headers }: Pick<ReceivedPush, 'headers'>,
  publicKey: string,
): Record<string, unknown> {
  const [, token = '', key] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(headers.authorization ?? '') ?? []
  const [head = '', claims = '', signature = ''] = token.split('.')
  const point = Buffer.from(publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const jwk = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const signed = { key: jwk, dsaEncoding: 'ieee-p1363' } as const
  if (
    key !== publicKey ||
    !verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url'))
  )
    throw new Error('the push is not signed by the site')
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
}
