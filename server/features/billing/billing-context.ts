import type { EntitlementRow } from '#server/features/library/library.ts'
import type { Language } from '#contract/languages.ts'
import type { Experiments } from '#server/features/experiments/experiments.ts'
import type { MembersContext } from '#server/features/members/members.ts'
import type { AttributionContext, ConversionContext } from '#server/features/tracking/tracking.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import type { OperatorConfig } from '#server/platform/config/read-operator.ts'
import type { PaymentGateway } from './gateways/gateway.ts'

/** What billing works with; made once, in server/context.ts. */
export interface BillingContext extends MembersContext, AttributionContext, ConversionContext {
  log: Log
  experiments: Experiments
  /** Those that are set up, in the order they are offered. */
  gateways: readonly PaymentGateway[]
  /** Whether people may have a prepaid balance (BALANCE). */
  balanceOn: boolean
  /** Where the site is reached, for what a gateway sends back to it. */
  publicUrl: string
  /** Who sells, as receipts say it. */
  operator: OperatorConfig
  /** How long a gateway may take for one call, in milliseconds. */
  gatewayTimeoutMs?: number
  translate(language: Language, key: string): string
  /**
   * The entitlement that covers an episode for a viewer. Media knows; media/feature.ts gives it.
   * @throws Refusal notFound; locked with the offer
   */
  findCover(viewer: Viewer, episodeId: string, language: Language): Promise<EntitlementRow>
}
