import fc from 'fast-check'
import type { BillingHarness, Fault, ProductName } from './billing-harness.ts'
import type { Model } from './model.ts'
import type { Step } from './step.ts'
import { ChangeCard, ToggleRenewal, SignIn } from './account-steps.ts'
import {
  Buy,
  AnswerBankChallenge,
  RefreshOrder,
  OneTap,
  CreateOrder,
  Pay,
  RemoveCard,
} from './purchase-steps.ts'
import {
  DeliverLateRequests,
  DeliverWebhook,
  DeliverAllWebhooks,
  Dispute,
  FailRefunds,
  Refund,
  RefundAtGateway,
} from './refund-and-webhook-steps.ts'
import { RunConcurrently, Reconcile, Wait } from './time-steps.ts'

/** Generates one of the values; a value with a higher weight is more frequent. */
const weightedConstant = <T>(...weighted: [weight: number, value: T][]) =>
  fc.oneof(...weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

const device = weightedConstant([3, 'here' as const], [1, 'elsewhere' as const])
/** Few products with high weights, so that a product is often bought again. */
const product = weightedConstant<ProductName>(
  [4, 'episode 4'],
  [1, 'episode 5'],
  [2, 'the video'],
  [2, 'the 2-day plan'],
  [4, 'the 7-day plan'],
  [1, 'the 30-day plan'],
)
const card = weightedConstant(
  [8, 'pays' as const],
  [2, 'declined' as const],
  [1, 'no_funds' as const],
  [3, 'asks_once' as const],
  [2, 'asks_always' as const],
  [3, 'declines_later' as const],
  [1, 'disputed' as const],
)
const fault = weightedConstant<Fault>(
  [12, 'none'],
  [1, 'the request is lost'],
  [1, 'the request is late'],
  [2, 'the answer is lost'],
  [1, 'no answers'],
)
const number = fc.nat({ max: 9 })
const hours = fc.constantFrom(1, 12, 26, 50, 80, 170, 250, 730)
const how = weightedConstant<Wait['how']>(
  [8, 'up'],
  [3, 'down'],
  [1, 'the request is lost'],
  [1, 'the answer is lost'],
  [1, 'no answers'],
)
const method = weightedConstant([1, 'card' as const], [1, 'wallet' as const])

const save = fc.boolean()
const oneOff = weightedConstant<ProductName>([2, 'episode 4'], [2, 'episode 5'], [1, 'the video'])

const buy = fc.record({ device, product, card, fault, save }).map((purchase) => new Buy(purchase))
const oneTap = fc.record({ device, product: oneOff, fault }).map((purchase) => new OneTap(purchase))
const removeCard = device.map((where) => new RemoveCard(where))
const order = fc.record({ device, product, method }).map((purchase) => new CreateOrder(purchase))
const pay = fc.record({ order: number, card, fault }).map((purchase) => new Pay(purchase))
const answerBank = fc
  .record({ number, yes: weightedConstant([3, true], [1, false]) })
  .map((answer) => new AnswerBankChallenge(answer))
const refreshOrder = number.map((index) => new RefreshOrder(index))
const renewals = fc
  .record({ device, on: weightedConstant([2, false], [1, true]) })
  .map((change) => new ToggleRenewal(change))
const changeCard = fc.record({ device, card, fault }).map((change) => new ChangeCard(change))
const signIn = fc.constant(undefined).map(() => new SignIn())
const refund = fc.record({ number, part: fc.boolean(), fault }).map((purchase) => new Refund(purchase))
const refundAtGateway = fc
  .record({ number, part: fc.boolean() })
  .map((purchase) => new RefundAtGateway(purchase))
const failRefunds = number.map((index) => new FailRefunds(index))
const dispute = fc
  .record({ number, to: fc.constantFrom('open' as const, 'won' as const, 'lost' as const) })
  .map((change) => new Dispute(change))
const deliver = fc
  .record({ number, stops: weightedConstant([4, false], [1, true]) })
  .map((event) => new DeliverWebhook(event))
const deliverRest = weightedConstant([3, true], [1, false]).map((arrives) => new DeliverAllWebhooks(arrives))
const deliverLate = fc.constant(undefined).map(() => new DeliverLateRequests())
const wait = fc.record({ hours, how }).map((passing) => new Wait(passing))
const reconcile = fc.constant(undefined).map(() => new Reconcile())

/** Steps that may run concurrently with each other. */
const simultaneous = fc.oneof(pay, refreshOrder, renewals, signIn, refund, deliver, wait)
const concurrently = fc
  .tuple(simultaneous, simultaneous)
  .map((both: [Step, Step]) => new RunConcurrently(both))

const maxSteps = 16

/** The first purchase. Without it, most other steps are impossible. */
export const firstPurchase = fc
  .record({ device, product, card, fault: fc.constant<Fault>('none'), save })
  .map((purchase) => new Buy(purchase))

/** Generates sequences of purchases, payments, refunds, disputes, faults and waiting times. */
export function sequences(replayPath?: string) {
  const weighted: [weight: number, arbitrary: fc.Arbitrary<Step>][] = [
    [4, buy],
    [3, oneTap],
    [1, removeCard],
    [3, order],
    [3, pay],
    [5, answerBank],
    [1, refreshOrder],
    [2, renewals],
    [2, changeCard],
    [1, signIn],
    [2, refund],
    [1, refundAtGateway],
    [1, failRefunds],
    [3, dispute],
    [2, deliver],
    [1, deliverRest],
    [1, deliverLate],
    [6, wait],
    [1, reconcile],
    [2, concurrently],
  ]
  const step = fc.oneof(...weighted.map(([weight, arbitrary]) => ({ weight, arbitrary })))
  return fc.commands<Model, BillingHarness, false>([step], {
    maxCommands: maxSteps,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  })
}
