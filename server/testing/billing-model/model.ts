import type { Books, OrderEntry } from './read-books.ts'
import type { BillingHarness, ProductName } from './billing-harness.ts'

/** The browser that starts as a guest and may sign in, or another device of the member. */
export type Device = 'here' | 'elsewhere'

export const deviceName = (device: Device) => (device === 'here' ? 'the viewer' : 'the member elsewhere')

interface ModelOrder {
  id: string
  thing: ProductName
  /** The user who ordered it; a guest's orders become the member's later. */
  buyer: string
  /** Number of payment requests by the client. */
  presses: number
}

/** The actions of a sequence's users and the responses they received, compared with the site's books. */
export class Model {
  readonly guest: string
  readonly member: string
  /** The locked episodes. */
  readonly lockedEpisodeIds: readonly string[]
  signedIn = false
  orders: ModelOrder[] = []
  /** Orders that a response reported as paid. */
  reportedPaid = new Set<string>()
  /** Users who must not be charged again since their last cancellation. */
  cancelled = new Set<string>()
  /** True after a fault between the site and the gateway, which may have failed a renewal. */
  hadFaults = false
  /** True if the member and the guest each had a subscription when they were merged. */
  mergedSubscriptions = false
  /** Webhook events and delayed requests in transit. */
  readonly line: Pick<BillingHarness, 'events' | 'late'>
  /** The books now and before the last step. */
  books: Books
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

  /** Returns the order that a command's number refers to; renewals are not among them. */
  order(number: number): ModelOrder | undefined {
    return this.orders[number % this.orders.length]
  }

  orderEntry(id: string): OrderEntry | undefined {
    return this.books.orders.find((order) => order.id === id)
  }

  /** Returns the name of an order in reports: the first is order 1. */
  nameOf(id: string): string {
    const number = this.orders.findIndex((order) => order.id === id) + 1
    return number > 0 ? `order ${number}` : 'a renewal'
  }
}
