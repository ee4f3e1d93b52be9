import type { PaymentGateway } from '#server/features/billing/gateway.ts'
import { sandboxRoutes } from '#server/features/billing/gateways/sandbox/routes.ts'
import { createSandboxGateway } from '#server/features/billing/gateways/sandbox/sandbox-gateway.ts'
import type { Env } from '#server/platform/read-setting.ts'
import { buildVideo, type BuiltVideo } from './builders.ts'
import { testDatabase } from './template-database.ts'
import { testSite, type TestSite } from './test-site.ts'

/** A site for tests about money: its clock can be moved on, and its gateway can be made to misbehave. */
export interface MoneySite extends TestSite {
  video: BuiltVideo
  /** For a second process on the same database. */
  databaseUrl: string
  /** What is called in the gateway's place; a test puts its own in for a while. */
  trouble: Partial<PaymentGateway>
  /** The gateway that does as it should. */
  sound: PaymentGateway
  /** How often each call reached the gateway's face. */
  calls: Record<string, number>
  moveOn(milliseconds: number): void
}

export async function moneySite(settings: Env = {}): Promise<MoneySite> {
  const database = await testDatabase()
  let offset = 0
  const clock = { now: () => new Date(Date.now() + offset) }
  const sandbox = { db: database.db, clock, secret: 'a secret of the tests', notify: () => {} }
  const sound = createSandboxGateway(sandbox)
  const trouble: Partial<PaymentGateway> = {}
  const calls: Record<string, number> = {}
  const gateway = new Proxy(sound, {
    get(target, name: keyof PaymentGateway) {
      if (typeof target[name] === 'function') calls[name] = (calls[name] ?? 0) + 1
      return trouble[name] ?? target[name]
    },
  })
  const gateways = { gateways: [gateway], gatewayRoutes: sandboxRoutes(sandbox) }
  const site = await testSite({ database, clock, gateways }, settings)
  const video = await buildVideo(site.context)
  return {
    ...site,
    video,
    databaseUrl: database.url,
    trouble,
    sound,
    calls,
    moveOn: (milliseconds) => void (offset += milliseconds),
  }
}
