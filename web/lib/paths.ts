/** Every route of the site: the router's pattern and the builder of its links, side by side. */
export const paths = {
  home: { pattern: '/', to: () => '/' },
  browse: { pattern: '/browse/:id', to: (id: string) => `/browse/${encodeURIComponent(id)}` },
  more: { pattern: '/more/:id', to: (id: string) => `/more/${encodeURIComponent(id)}` },
  search: {
    pattern: '/searchDetail/:id',
    to: (words: string) => `/searchDetail/${encodeURIComponent(words)}`,
  },
  video: {
    pattern: '/videos/:id',
    to: (id: string, episode?: number) =>
      `/videos/${encodeURIComponent(id)}${episode ? `?episode=${episode}` : ''}`,
  },
  shopping: { pattern: '/shopping', to: () => '/shopping' },
  orderResult: {
    pattern: '/order/result',
    to: (orderId: string) => `/order/result?order_id=${encodeURIComponent(orderId)}`,
  },
} as const

/** What the card form is opened with; it is a document of its own, outside the router. */
export interface OrderWish {
  kind: 'episode' | 'video' | 'plan'
  id: string
  gateway: string
  method: string
}

export function orderFormPath(wish: OrderWish): string {
  return `/order/easy?${new URLSearchParams({ ...wish }).toString()}`
}
