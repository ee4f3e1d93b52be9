import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { Agent } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import type { PushMessage, PushSubscription } from '#contract/alerts.ts'

/** A push message that the service received. */
interface ReceivedPush {
  host: string | undefined
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

type Reply = { status: number; headers?: Record<string, string> } | 'nothing'

/** A fake push service over HTTP. It records what is posted, and responds as the test has configured. */
export interface FakePushService {
  received: ReceivedPush[]
  reply: (push: ReceivedPush) => Reply | Promise<Reply>
  /** Connects to this service for every host, because tests have neither DNS nor certificates for the real hosts. */
  agent: Agent
  close(): Promise<void>
}

export async function startFakePushService(): Promise<FakePushService> {
  const service: Pick<FakePushService, 'received' | 'reply'> = {
    received: [],
    reply: () => ({ status: 201 }),
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', async () => {
      const { url: path = '', headers } = request
      const push = { host: headers.host, path, headers, body: Buffer.concat(parts) }
      service.received.push(push)
      const reply = await service.reply(push)
      if (reply === 'nothing') return
      response.writeHead(reply.status, reply.headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The cast is safe: a listening TCP server has an AddressInfo.
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

/** A browser with a subscription at a push service. It can decrypt the messages sent to it. */
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

  /** Returns the decrypted messages that were posted for this browser, in order. */
  read(service: Pick<FakePushService, 'received'>): PushMessage[] {
    const { pathname } = new URL(this.subscription.endpoint)
    return service.received.filter(({ path }) => path === pathname).map(({ body }) => this.#open(body))
  }

  /** Decrypts a body according to RFC 8291: a single record of RFC 8188, with the sender's public key as the key id. */
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

/**
 * Returns the claims of the site in a push (VAPID, RFC 8292).
 * @throws Error if the signature does not match the public key
 */
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
    throw new Error("the push's signature does not match the site's key")
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>
}
