import type { Books, OrderEntry } from './read-books.ts'
import type { BillingHarness, ProductName } from './billing-harness.ts'

/** `here`: the browser that starts as a guest and may sign in. `elsewhere`: another device of the member. */
export type Device = 'here' | 'elsewhere'

export const deviceName = (device: Device) => (device === 'here' ? 'the viewer' : 'the member elsewhere')

interface ModelOrder {
  id: string
  product: ProductName
  /** The user who ordered. A guest's orders later become the member's, but this id does not change. */
  buyer: string
  /** Number of payment requests that the client has sent. */
  presses: number
}

/** The users' actions in a sequence, and the responses to them. The tests compare them with the site's books. */
export class Model {
  readonly guest: string
  readonly member: string
  /** Ids of the locked episodes. */
  readonly lockedEpisodeIds: readonly string[]
  signedIn = false
  orders: ModelOrder[] = []
  /** Ids of orders that a response reported as paid. */
  reportedPaid = new Set<string>()
  /** Ids of users who have cancelled and must not be charged again. */
  cancelled = new Set<string>()
  /** True after a network fault between site and gateway: a renewal may have failed because of it. */
  hadFaults = false
  /** True if both the guest and the member had a subscription when the guest signed in. */
  mergedSubscriptions = false
  /** Webhook events and delayed requests that have not arrived yet. */
  readonly line: Pick<BillingHarness, 'events' | 'late'>
  /** The current books. */
  books: Books
  /** The books before the last step. */
  before: Books

  constructor(
    people: { guest: string; member: string },
    { locked, events, late }: Pick<BillingHarness, 'locked' | 'events' | 'late'>,
    books: Books,
  ) {
    this.lockedEpisodeIds = locked
    this.line = { events, late }
    this.guest = people.guest
    this.member = people.member
    this.books = books
    this.before = books
  }

  userOf(device: Device): string {
    return device === 'here' && !this.signedIn ? this.guest : this.member
  }

  isSubscribed(userId: string): boolean {
    return this.books.subscriptions.some(
      ({ user_id, status }) => user_id === userId && (status === 'active' || status === 'past_due'),
    )
  }

  /** Returns the order to which a step's number refers. Renewals are not counted. */
  order(number: number): ModelOrder | undefined {
    return this.orders[number % this.orders.length]
  }

  orderEntry(id: string): OrderEntry | undefined {
    return this.books.orders.find((order) => order.id === id)
  }

  /** Returns the name of an order in reports, such as "order 1" for the first. */
  nameOf(id: string): string {
    const number = this.orders.findIndex((order) => order.id === id) + 1
    return number > 0 ? `order ${number}` : 'a renewal'
  }
}
