import type { BenchSite } from '#bench/site/start-bench-site.ts'
import type { BenchEpisode } from '#bench/site/bench-guests.ts'

interface Order {
  info: { id: string }
}

let memberCount = 0

/** Creates a member with a history, a favorite and a purchased episode. @returns the member's cookie and paid order */
export async function createMember(
  { url }: Pick<BenchSite, 'url'>,
  film: BenchEpisode,
): Promise<{ cookie: string; orderId: string }> {
  const jar = new Map<string, string>()
  const post = <T>(path: string, body: object) => ask<T>(`${url}${path}`, jar, body)
  await ask(`${url}/api/user`, jar)
  const password = 'nobody needs to know this one'
  const email = `member-${++memberCount}-of-${process.pid}@example.com`
  await post('/api/user/register', { email, password, repeat_password: password })
  const { videoId: video_id, episodeId: episode_id, lockedEpisodeId } = film
  await post('/api/user/history', { video_id, episode_id, position_ms: 4000, at: new Date().toISOString() })
  await post('/api/user/favorite', { video_id })
  const params = { kind: 'episode', episode_id: lockedEpisodeId, gateway: 'sandbox', email }
  const order = await post<Order>('/api/payment/order', params)
  const card = { number: '4242424242424242', expiry: '12 / 40', cvv: '123' }
  const { token } = await post<{ token: string }>('/sandbox/tokens', card)
  const payer = { payment_token: token, first_name: 'Ada', last_name: 'Lovelace' }
  await post('/api/payment/pay', { order_id: order.info.id, ...payer })
  return { cookie: cookieOf(jar), orderId: order.info.id }
}

const cookieOf = (jar: ReadonlyMap<string, string>) =>
  [...jar].map(([name, value]) => `${name}=${value}`).join('; ')

/** Sends a request as a browser does, with a cookie jar. @throws Error if the request fails */
async function ask<T>(url: string, jar: Map<string, string>, body?: object): Promise<T> {
  const response = await fetch(url, {
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    headers: {
      'content-type': 'application/json',
      'sec-fetch-site': 'same-origin',
      cookie: cookieOf(jar),
    },
  })
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
  const answer = (await response.json()) as { code?: number }
  if (!response.ok || (answer.code ?? 200) !== 200)
    throw new Error(`${url} returned ${JSON.stringify(answer)}`)
  // The cast is safe: the site sent the response, and the next step fails if data is missing.
  return answer as T
}
