import { createOrder, payOrder, type Order, type Plan } from './billing.ts'
import { getHomepage, getVideo, queryHomepage, type VideoCard } from './catalog.ts'
import type { BodyOf, Endpoint, ResponseOf } from './endpoint.ts'
import { refusals, type RefusalName } from './errors.ts'
import { saveHistory } from './library.ts'
import { getEpisode, type Episode } from './media.ts'
import { getUser, registerUser, signIn, type User } from './members.ts'

/** A call as the OpenAPI document shows it. */
export interface CallExample {
  endpoint: Endpoint
  /** Describes the response. */
  summary: string
  body?: object | undefined
  response: { code: number; message?: string; info?: unknown; data?: unknown }
}

interface Refused {
  refusal: RefusalName
  message: string
  info: object
}

function example<const E extends Endpoint>(
  endpoint: E,
  summary: string,
  response: ResponseOf<E> | Refused,
  body?: BodyOf<E>,
): CallExample {
  if (!('refusal' in response)) return { endpoint, summary, body, response: { code: 200, ...response } }
  const { refusal, message, info } = response
  return { endpoint, summary, body, response: { code: refusals[refusal], message, info } }
}

const videoId = 'vid_9b2e41d7f0a85c36d1e7b4a2c8f3905e'
const episodeId = 'ep_4c8e1f9a6b2d7035e8f1a4c7b9d2603f'
const nextEpisodeId = 'ep_a7d3f05b8e1c6492b0d5f8a3e7c1964d'
const orderId = 'ord_6e1b9d4f7a2c8053f9b6d1e4a7c2830d'

/** The folder of the episode's media, in a link that is signed for one viewer. */
const media = '/media/SIGNATURE/ast_2c7e9b4d1f8a6035c2e7b9d4f1a8603c'
const stillUrl = '/public/ast_2c7e9b4d1f8a6035c2e7b9d4f1a8603c/still.webp'

const video: VideoCard = {
  id: videoId,
  title: 'Night Train',
  cover_url: '/public/covers/5c1e9b7d4f2a8036.webp',
  cover_color: '#3a2530',
  episode_count: 24,
  free_episodes: 3,
  play_count: 18_204,
  tags: [{ id: 'tag_d5a1e8c4f7b2903d6e9f1a5b8c2d704e', name: 'Betrayal' }],
  badge: 'new',
}

const episode: Episode = {
  id: episodeId,
  number: 4,
  title: 'The Last Stop',
  duration_ms: 92_000,
  ready: true,
  thumb_url: stillUrl,
  state: 'locked',
  price_cents: 99,
}

const guest: User = {
  id: 'usr_1f7c3a9e5b8d2046f3a7c9e1b5d8204f',
  role: 'visitor',
  email: null,
  email_verified: false,
  display_name: null,
  avatar_url: null,
  language: null,
  referral_code: null,
  consent: null,
  has_password: false,
  second_factor: false,
  membership: {
    state: 'free',
    status: null,
    grace_until: null,
    plan: null,
    renews_at: null,
    ends_at: null,
    cancel_at_period_end: false,
    gateway: null,
  },
}
const member: User = {
  ...guest,
  role: 'member',
  email: 'ada@example.com',
  display_name: 'Ada',
  language: 'en',
  referral_code: 'b21a38de03',
  has_password: true,
}

const plan: Plan = {
  id: 'plan_8d2f6b1e4a9c7035d8f2b6e1a4c9703d',
  name: 'Monthly',
  description: '',
  price_cents: 999,
  currency: 'USD',
  period_days: 30,
  highlight: true,
}

const order: Order = {
  id: orderId,
  status: 'pending',
  kind: 'episode',
  video_id: videoId,
  episode_id: episodeId,
  episode_number: 4,
  amount_cents: 99,
  refunded_cents: 0,
  currency: 'USD',
  gateway: 'sandbox',
  created_at: '2026-03-14T20:15:00.000Z',
  expires_at: '2026-03-15T20:15:00.000Z',
  next: { type: 'card_form', url: '/sandbox/card' },
}

const payment = {
  order_id: orderId,
  payment_token: 'stok_8c1f5e9a3d7b2046',
  first_name: 'Ada',
  last_name: 'Lovelace',
}
const account = { email: 'ada@example.com', password: 'nine parts of a drama' }

/** Examples of the calls of a viewer who registers, opens an episode from the homepage and pays for it. */
export const callExamples: readonly CallExample[] = [
  example(getUser, 'A guest', { info: guest }),
  example(
    registerUser,
    'The guest is a member now',
    { info: member },
    {
      ...account,
      repeat_password: account.password,
      display_name: 'Ada',
    },
  ),
  example(signIn, 'Signed in', { info: member }, account),
  example(signIn, 'Wrong password', {
    refusal: 'signInWrong',
    message: 'Wrong e-mail or password.',
    info: { field: 'password' },
  }),
  example(getHomepage, 'A homepage with one section', {
    info: {
      copyright: { text: '© 2026 My Dramas', icon: '/favicon.svg' },
      menu: [{ id: 'cat_3e8a1d6f9b4c7025e8a3d1f6b9c4702e', name: 'Romance' }],
      homepage: [
        {
          id: 'sec_f6b1d8e3a9c4720df6b1e8d3a9c4720f',
          kind: 'row',
          title: 'New',
          items: [video],
          has_more: false,
        },
      ],
      pay_theme: { id: 'ember', layout: 'sheet', accent: '#ff8a4c' },
      feed: null,
    },
  }),
  example(queryHomepage, 'The results of a search', {
    data: { title: 'train', sorts: ['relevance', 'popular', 'newest'], list: [video], next_cursor: null },
  }),
  example(getVideo, 'A video', {
    info: {
      ...video,
      synopsis: 'A murder on the last train home, and nobody may get off.',
      category: { id: 'cat_3e8a1d6f9b4c7025e8a3d1f6b9c4702e', name: 'Romance' },
      favorite: false,
      favorite_count: 310,
      share_count: 42,
      released_at: '2026-03-01T08:00:00.000Z',
      price: { episode_cents: 99, video_cents: 999, currency: 'USD' },
      resume: { episode_id: episodeId, number: 4, position_ms: 42_000 },
      related: [],
    },
  }),
  example(getEpisode, 'With video_id: the episodes', { data: { list: [episode], next_cursor: null } }),
  example(getEpisode, 'With episode_id: a playable episode', {
    info: {
      episode: { ...episode, thumb_url: `${media}/thumb.webp`, state: 'unlocked' },
      playback: {
        hls_url: `${media}/master.m3u8`,
        expires_at: '2026-03-15T02:15:00.000Z',
        poster_url: `${media}/poster.webp`,
        width: 1080,
        height: 1920,
        captions: [
          {
            lang: 'en',
            label: 'English',
            url: `${media}/captions/en.vtt`,
          },
        ],
        storyboard_url: `${media}/storyboard.vtt`,
        encrypted: false,
      },
      next: { id: nextEpisodeId, number: 5, state: 'locked' },
    },
  }),
  example(getEpisode, 'With episode_id: a locked episode, and what unlocks it', {
    refusal: 'locked',
    message: 'This episode is locked.',
    info: {
      episode: { id: episodeId, video_id: videoId, number: 4, title: 'The Last Stop', thumb_url: stillUrl },
      price: { episode_cents: 99, video_cents: 999, currency: 'USD' },
      video: { episode_count: 24, ready_count: 24 },
      plans: [plan],
      gateways: [{ id: 'sandbox', kind: 'card' }],
    },
  }),
  example(
    createOrder,
    'An order to be paid',
    { info: order },
    {
      kind: 'episode',
      episode_id: episodeId,
      gateway: 'sandbox',
      email: 'ada@example.com',
      amount_cents: 99,
    },
  ),
  example(
    payOrder,
    'The order is paid',
    {
      info: { ...order, status: 'paid', paid_at: '2026-03-14T20:16:00.000Z', next: { type: 'none' } },
    },
    payment,
  ),
  example(payOrder, 'The card was declined', {
    refusal: 'cardDeclined',
    message: 'Your card was declined. Please try another card.',
    info: {},
  }),
  example(
    saveHistory,
    'The position is saved',
    {
      info: { video_id: videoId, episode_id: episodeId, position_ms: 42_000, at: '2026-03-14T20:18:00.000Z' },
    },
    { video_id: videoId, episode_id: episodeId, position_ms: 42_000, at: '2026-03-14T20:18:00.000Z' },
  ),
]
