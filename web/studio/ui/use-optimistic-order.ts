import { useRef, useState, type Key } from 'react'

/**
 * Manages an order that is shown at once and then sent to the server. If the user moves several items during a request,
 * only the last order is sent. After the request, the order of `items` is shown again, which reverts a rejected order.
 */
export function useOptimisticOrder<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
  /** Sends an order. Must not resolve before `items` has been refetched. */
  send: (items: readonly Item[]) => Promise<unknown>,
): { ordered: readonly Item[]; order: (items: readonly Item[]) => void } {
  const [pendingOrder, setPendingOrder] = useState<readonly Item[] | null>(null)
  const next = useRef<readonly Item[] | null>(null)
  const isBusy = useRef(false)
  const order = (newOrder: readonly Item[]) => {
    next.current = newOrder
    setPendingOrder(newOrder)
    if (!isBusy.current) void sendAll()
  }
  const sendAll = async () => {
    isBusy.current = true
    try {
      while (next.current) {
        const newOrder = next.current
        next.current = null
        await send(newOrder)
      }
    } finally {
      isBusy.current = false
      next.current = null
      setPendingOrder(null)
    }
  }
  const places = new Map(pendingOrder?.map((item, index) => [keyOf(item), index]))
  const placeOf = (item: Item) => places.get(keyOf(item)) ?? places.size
  const ordered = pendingOrder ? items.toSorted((a, b) => placeOf(a) - placeOf(b)) : items
  return { ordered, order }
}
