import Stripe from 'stripe'
import { expect, test, vi } from 'vitest'
import {
  callGateway,
  requestRefund,
  deleteAtGateway,
} from '#server/features/billing/gateways/call-gateway.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { systemClock } from '#server/platform/clock.ts'
import { createLog } from '#server/platform/log.ts'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { createStripeGateway } from './stripe-gateway.ts'

const secret = 'pi_1_secret_2'

/** Creates an error like those of Stripe's library, with the request and the response. */
function thrown(): Error {
  const raw = {
    type: 'invalid_request_error' as const,
    code: 'payment_intent_unexpected_state',
    message: `The payment of viewer@example.com (${secret}) is over.`,
    payment_intent: { id: 'pi_1', client_secret: secret },
    headers: { 'request-id': 'req_1', 'set-cookie': secret },
    statusCode: 400,
    requestId: 'req_1',
  }
  // The type requires a complete payment, but the library reads only these fields here.
  return Stripe.errors.StripeError.generate(raw as never)
}

test('the log entry of an error with a payment has only the error’s type, code, status and request id', async () => {
  const database = await createTestDatabase()
  const log = createLog({ json: true, level: 'silent' })
  const logSpies = [vi.spyOn(log, 'warn'), vi.spyOn(log, 'error')]
  const no = () => Promise.reject(thrown())
  const settings = {
    secretKey: 'sk_test_1',
    publishableKey: 'pk_test_1',
    webhookSecrets: [],
    publicUrl: 'http://localhost:3000',
  }
  const sound = createStripeGateway({
    ...settings,
    apiBase: 'http://127.0.0.1:9',
    db: database.db,
    clock: systemClock,
    log,
  })
  const gateway: PaymentGateway = {
    ...sound,
    retrievePayment: no,
    refundPayment: no,
    detachMethod: no,
    isMethodAttached: no,
  }
  await callGateway({ log }, gateway, (port) => port.retrievePayment({ reference: 'pi_1' }))
  await requestRefund({ log }, gateway, { reference: 'pi_1', amountCents: 1, key: 'one' })
  await deleteAtGateway({ log }, gateway, (port) => port.detachMethod('pm_1'))
  const logged = logSpies.flatMap(({ mock }) => mock.calls)
  expect(logged).toHaveLength(3)
  for (const [fields] of logged)
    expect(fields).toMatchObject({
      type: 'StripeInvalidRequestError',
      code: 'payment_intent_unexpected_state',
      status: 400,
      request: 'req_1',
    })
  expect(JSON.stringify(logged)).not.toMatch(/secret|viewer@example|cookie/)
  await database.close()
})
