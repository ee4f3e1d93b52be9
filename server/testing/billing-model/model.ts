import type { Books, OrderEntry } from './read-books.ts'
import type { BillingLane, Thing } from './billing-lane.ts'

/** The browser that starts as a guest's and may sign in, or another device of the member. */
export type Device = 'here' | 'elsewhere'

export const nameOf = (device: Device) => (device === 'here' ? 'the viewer' : 'the member elsewhere')

interface ModelOrder {
  id: string
  thing: Thing
  /** Who ordered it; a guest's orders become the member's later. */
  buyer: string
  /** How often somebody has asked for it to be paid. */
  presses: number
}

/** What the people of a sequence did and were told, in memory: what their money is held against. */
export class Model {
  readonly guest: string
  readonly member: string
  /** The locked episodes. */
  readonly goods: readonly string[]
  signedIn = false
  orders: ModelOrder[] = []
  /** Orders that an answer called paid. */
  toldPaid = new Set<string>()
  /** The people who do not want to be charged again, from their last cancellation on. */
  cancelled = new Set<string>()
  /** Something went wrong between the site and the gateway, so that a renewal may rightly have failed. */
  hadFaults = false
  /** The members and guests had a subscription each when they became one person. */
  mergedSubscriptions = false
  /** What the gateway has to say, and requests that have not reached it. */
  readonly line: Pick<BillingLane, 'events' | 'late'>
  /** What is written down now, and was before the last step. */
  books: Books
  before: Books

  constructor(
    people: { guest: string; member: string },
    { locked, events, late }: Pick<BillingLane, 'locked' | 'events' | 'late'>,
    books: Books,
  ) {
    this.goods = locked
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

  /** The order that a number of a command means; renewals are not among them. */
  order(number: number): ModelOrder | undefined {
    return this.orders[number % this.orders.length]
  }

  orderEntry(id: string): OrderEntry | undefined {
    return this.books.orders.find((order) => order.id === id)
  }

  /** An order, in words of a report: the first that was ordered is order 1. */
  nameOf(id: string): string {
    const number = this.orders.findIndex((order) => order.id === id) + 1
    return number > 0 ? `order ${number}` : 'a renewal'
  }
}
