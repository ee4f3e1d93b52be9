import createClient from 'openapi-fetch'
// The test generates this module from the site's OpenAPI document. Only this file imports it.
import type { paths } from './paths.ts'

/** The inputs of an API client besides the OpenAPI document: the site's URL, and card tokens from the sandbox form. */
interface Shop {
  url: string
  cardToken(userToken: string): Promise<string>
}

/**
 * Buys an episode with a client that was generated from the OpenAPI document, beginning at the homepage.
 * @returns the episode's playlist
 */
export async function watchPaidEpisode({ url, cardToken }: Shop): Promise<string> {
  const userToken = (await fetch(`${url}/api/user`)).headers.get('x-user-token') ?? ''
  const client = createClient<paths>({ baseUrl: url, headers: { 'x-user-token': userToken } })
  const openEpisode = (episode_id: string) =>
    client.GET('/api/video/episode', { params: { query: { episode_id } } })

  const { info: homepage } = succeeded((await client.GET('/api/homepage')).data)
  const id = required(homepage.homepage.flatMap(({ items }) => items)[0]).id
  const { info: video } = succeeded((await client.GET('/api/video', { params: { query: { id } } })).data)

  const listed = succeeded(
    (await client.GET('/api/video/episode', { params: { query: { video_id: id } } })).data,
  )
  const episodes = 'data' in listed ? listed.data.list : []
  const locked = required(episodes.find(({ state }) => state === 'locked'))
  const refused = (await openEpisode(locked.id)).data
  if (refused?.code !== 402) throw new Error(`a locked episode returned ${refused?.code}`)

  const order = succeeded(
    (
      await client.POST('/api/payment/order', {
        body: { kind: 'episode', episode_id: locked.id, gateway: 'sandbox', email: 'ada@example.com' },
      })
    ).data,
  )
  if (order.info.amount_cents !== video.price.episode_cents)
    throw new Error(`the order has the amount ${order.info.amount_cents}`)
  const card = { payment_token: await cardToken(userToken), first_name: 'Ada', last_name: 'Lovelace' }
  const paid = succeeded(
    (await client.POST('/api/payment/pay', { body: { order_id: order.info.id, ...card } })).data,
  )
  if (paid.info.status !== 'paid') throw new Error(`the order is ${paid.info.status}`)

  const opened = succeeded((await openEpisode(locked.id)).data)
  if (!('info' in opened)) throw new Error('the bought episode is still locked')
  return (await fetch(new URL(opened.info.playback.hls_url, url))).text()
}

/** Narrows a response to its success type (code 200) in the OpenAPI document. @throws Error for other responses */
function succeeded<Answer extends { code: number }>(
  answer: Answer | undefined,
): Extract<Answer, { code: 200 }> {
  if (answer?.code !== 200) throw new Error(JSON.stringify(answer))
  // The cast is safe: `code` is a constant in each response schema, and was checked above.
  return answer as Extract<Answer, { code: 200 }>
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a required value is missing')
  return value
}
