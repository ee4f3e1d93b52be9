import {
  cancelSubscription,
  resumeSubscription,
} from '#server/features/billing/subscriptions/cancel-subscription.ts'
import { changePaymentMethod } from '#server/features/billing/payment-methods/change-method.ts'
import type { Behaviour } from '#server/features/billing/gateways/sandbox/cards.ts'
import { mergeGuest } from '#server/features/members/sessions/merge-guest.ts'
import { newId } from '#server/platform/ids.ts'
import type { BillingHarness, Fault } from './billing-harness.ts'
import { deviceName, type Device, type Model } from './model.ts'
import { outcomeOf, Step } from './step.ts'
import { faultSuffix, withFault } from './with-fault.ts'
import { cardBehaviourText } from './purchase-steps.ts'

/** Cancels or resumes the renewals of the user's subscription. */
export class ToggleRenewal extends Step {
  readonly device: Device
  readonly on: boolean
  constructor({ device, on }: { device: Device; on: boolean }) {
    super()
    this.device = device
    this.on = on
  }
  override check(model: Readonly<Model>): boolean {
    return model.isSubscribed(model.userOf(this.device))
  }
  describe(): string {
    return `${deviceName(this.device)} ${this.on ? 'resumes' : 'cancels'} the plan`
  }
  async act({ context }: BillingHarness, model: Model): Promise<string> {
    const userId = model.userOf(this.device)
    const change = this.on ? resumeSubscription : cancelSubscription
    const answer = await outcomeOf(() => change(context, userId, 'en'))
    if (answer !== 'done') return answer
    if (this.on) model.cancelled.delete(userId)
    else model.cancelled.add(userId)
    return answer
  }
}

/** Changes the payment card of a plan. */
export class ChangeCard extends Step {
  readonly device: Device
  readonly card: Behaviour
  readonly fault: Fault
  constructor({ device, card, fault }: { device: Device; card: Behaviour; fault: Fault }) {
    super()
    this.device = device
    this.card = card
    this.fault = fault
  }
  override check(model: Readonly<Model>): boolean {
    return model.isSubscribed(model.userOf(this.device))
  }
  describe(): string {
    return `${deviceName(this.device)} changes to a card that ${cardBehaviourText[this.card]}${faultSuffix(this.fault)}`
  }
  async act(harness: BillingHarness, model: Model): Promise<string> {
    const token = await harness.newToken(this.card)
    const params = {
      userId: model.userOf(this.device),
      setupId: newId('pmc'),
      gateway: 'sandbox',
      method: 'card',
      payer: { ip: '127.0.0.1', token },
    } as const
    return withFault(harness, model, this.fault, () =>
      outcomeOf(() => changePaymentMethod(harness.context, params)),
    )
  }
}

/** Signs the guest in. The guest's records become the member's. */
export class SignIn extends Step {
  override check({ signedIn }: Readonly<Model>): boolean {
    return !signedIn
  }
  describe(): string {
    return 'the guest signs in'
  }
  async act({ context, db }: BillingHarness, model: Model): Promise<string> {
    const { guest, member, books, cancelled } = model
    const live = books.subscriptions.filter(({ status }) => status === 'active' || status === 'past_due')
    const isLive = (userId: string) => live.some(({ user_id }) => user_id === userId)
    if (isLive(guest) && isLive(member)) model.mergedSubscriptions = true
    else if (isLive(guest)) {
      if (cancelled.has(guest)) cancelled.add(member)
      else cancelled.delete(member)
    }
    await db
      .transaction()
      .execute((tx) => mergeGuest(context, tx, { id: guest, language: 'en' }, member, async () => {}))
    model.signedIn = true
    return 'done'
  }
}
