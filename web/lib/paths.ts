const page = <const Path extends string>(path: Path) => ({ pattern: path, to: () => path })

/** Every route of the site, with its pattern for the router and a function that creates its URLs. */
export const paths = {
  home: page('/'),
  browse: { pattern: '/browse/:id', to: (id: string) => `/browse/${encodeURIComponent(id)}` },
  more: {
    pattern: '/more/:id',
    to: (id: string) => `/more/${encodeURIComponent(id)}`,
    /** The URL of the same list as a feed that starts at the given drama. */
    feed: (id: string, videoId = '') => `/more/${encodeURIComponent(id)}?feed=${encodeURIComponent(videoId)}`,
  },
  video: {
    pattern: '/videos/:id',
    to: (id: string, episode?: number) =>
      `/videos/${encodeURIComponent(id)}${episode ? `?episode=${episode}` : ''}`,
  },
  individual: page('/individual'),
  my: page('/my'),
  signIn: page('/login'),
  retrievePassword: page('/retrievePassword'),
  register: page('/register'),
  favorites: page('/favorites'),
  history: page('/historys'),
  unlocked: page('/unlocked'),
  search: page('/search'),
  searchDetail: {
    pattern: '/searchDetail/:id',
    to: (query: string) => `/searchDetail/${encodeURIComponent(query)}`,
  },
  shopping: page('/shopping'),
  privacyPolicy: page('/privacyPolicy'),
  refundPolicy: page('/refundPolicy'),
  serviceAgreement: page('/serviceAgreement'),
  contentPolicy: page('/contentPolicy'),
  commonQuestions: page('/commonQuestions'),
  contactUs: page('/contactUs'),
  orderResult: {
    pattern: '/order/result',
    to: (orderId: string) => `/order/result?order_id=${encodeURIComponent(orderId)}`,
  },
} as const

/** Pages of the member area that need no session. Links in mails add a secret to the fragment. */
export const contractLinkPaths = { cancel: '/my#cancel-contract', withdraw: '/my#withdraw' } as const

/** Parameters of the order form, which is a separate HTML page outside the router. */
export interface OrderFormParams {
  kind: 'episode' | 'video' | 'plan' | 'top_up'
  id: string
  gateway: string
  method: string
  /** The video whose paywall offered the item. */
  video?: string
}

/** Returns the URL of the order form that changes the payment method of a subscription. */
export function methodFormPath(params: Pick<OrderFormParams, 'gateway' | 'method'>): string {
  return `/order/easy?${new URLSearchParams({ kind: 'method', ...params }).toString()}`
}

/** Returns the URL of the 3-D Secure check of an order that is paid by a saved card. */
export function orderThreeDSecurePath(order_id: string): string {
  return `/order/easy?${new URLSearchParams({ kind: 'check', order_id }).toString()}`
}

export function orderFormPath(params: OrderFormParams): string {
  return `/order/easy?${new URLSearchParams({ ...params }).toString()}`
}
