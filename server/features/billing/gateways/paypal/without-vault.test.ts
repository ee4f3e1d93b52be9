import { expect, test } from 'vitest'
import { listPlans } from '#contract/billing.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite } from '#server/testing/site/test-site.ts'
import { FakePaypal } from './fake/fake-paypal.ts'

test('an account that may not save wallets sells episodes, but no plans', async () => {
  const paypal = await FakePaypal.start()
  paypal.orders.mayVault = false
  const site = await startTestSite({}, paypal.settings)
  try {
    const { list, gateways } = await site.visitor().callOk(listPlans)
    expect(gateways).toEqual([{ id: 'paypal', kind: 'wallet', one_off_only: true }])
    const shopper = await Shopper.create(site)
    const paymentMethod = { gateway: 'paypal', method: 'wallet' } as const
    const plan = { ...paymentMethod, kind: 'plan' as const, plan_id: list[0]?.id }
    expect(await shopper.tryOrder(plan)).toMatchObject({ code: 500, message: /isn’t available here/ })
    const video = await buildVideo(site.context)
    const order = await shopper.order({ ...paymentMethod, episode_id: video.episodes[3]?.id })
    expect(order.next.type).toBe('redirect')
  } finally {
    await site.close()
    await paypal.close()
  }
})
