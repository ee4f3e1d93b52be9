import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Order } from '#contract/billing.ts'
import { backUp } from '#server/cli/backup.ts'
import { restore } from '#server/cli/restore.ts'
import { createContext } from '#server/context.ts'
import { FakePaypal } from './features/billing/gateways/paypal/fake/fake-paypal.ts'
import { reconcile } from './features/billing/reconciliation/reconcile.ts'
import { loadVideoEntitlements } from '#server/features/library/library.ts'
import { loadConfig } from './platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import {
  compareGatewayBalance,
  expectTransactionsBalanced,
} from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { createEmptyDatabase } from '#server/testing/database/test-database.ts'
import { createEmptyWebRoot, startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

const neverAborted = new AbortController().signal
const ignoreProgress = () => {}
const log = createLog({ json: true, level: 'silent' })

let root: string
let stripe: FakeStripe
let paypal: FakePaypal
let site: TestSite
let video: BuiltVideo

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-restored-'))
  stripe = await startFakeStripe()
  paypal = await FakePaypal.start()
  site = await startTestSite({}, { ...stripe.env, ...paypal.settings })
  video = await buildVideo(site.context)
})
afterAll(async () => {
  await site.close()
  await stripe.close()
  await paypal.close()
  rmSync(root, { recursive: true, force: true })
})

async function payAtStripe(shopper: Shopper, { id, next }: Order): Promise<void> {
  await stripe.confirm(next.client_secret ?? '', testCards.pays)
  await shopper.tryPay(id, next.client_secret?.split('_secret_')[0])
}

async function payAtPaypal(shopper: Shopper, { id, next }: Order): Promise<void> {
  paypal.orders.approve(new URL(next.url ?? '').searchParams.get('token') ?? '')
  await shopper.getOrder(id)
}

/**
 * Does not test the sandbox. Its records are in the site's database, so a restore loses the later purchases at the
 * sandbox too.
 */
test(
  'a site restored from a backup recovers later purchases from Stripe and PayPal',
  { timeout: 600_000 },
  async () => {
    const folder = join(root, 'backup')
    const { database, storage, config } = site.context
    await backUp({ pool: database.pool, storage, config }, folder, ignoreProgress, neverAborted)
    const episode_id = video.episodes[3]?.id ?? ''
    const bought: Order[] = []
    for (const [gateway, pay] of [
      ['stripe', payAtStripe],
      ['paypal', payAtPaypal],
    ] as const) {
      const shopper = await Shopper.create(site)
      const method = gateway === 'paypal' ? 'wallet' : 'card'
      const order = await shopper.order({ gateway, method, episode_id })
      await pay(shopper, order)
      bought.push(await shopper.getOrder(order.id))
    }
    expect(bought.map(({ status }) => status)).toEqual(['paid', 'paid'])

    const { url, drop } = await createEmptyDatabase()
    onTestFinished(drop)
    const restored = loadConfig({
      ...stripe.env,
      ...paypal.settings,
      DATA_DIR: join(root, 'restored'),
      DATABASE_URL: url,
      APP_SECRET: config.secrets.appSecret,
      LOG_LEVEL: 'silent',
    })
    await restore({ config: restored, log }, folder, ignoreProgress, neverAborted)
    const context = await createContext(restored, log, { webRoot: createEmptyWebRoot(root) })
    onTestFinished(() => context.close())
    const rows = () =>
      context.db.selectFrom('orders').select(['id', 'user_id', 'status', 'restored_at']).execute()
    expect(await rows()).toEqual([])
    await reconcile(context)
    await reconcile(context)
    const found = await rows()
    expect(found.map(({ id }) => id).toSorted()).toEqual(bought.map(({ id }) => id).toSorted())
    for (const { user_id, status, restored_at } of found) {
      expect([status, restored_at]).toEqual(['paid', expect.any(Date)])
      const rights = await loadVideoEntitlements(context.db, user_id, video.id, context.clock.now())
      expect(rights.covers(episode_id)).toBe(true)
    }
    await expectTransactionsBalanced(context.db)
    for (const gateway of context.gateways) {
      const { ledgerCents, gatewayCents } = await compareGatewayBalance(context.db, gateway)
      expect([gateway.id, ledgerCents]).toEqual([gateway.id, gatewayCents])
    }
  },
)
