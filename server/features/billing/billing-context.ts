import type { EntitlementRow } from '#server/features/library/library.ts'
import type { Language } from '#contract/languages.ts'
import type { Experiments } from '#server/features/experiments/experiments.ts'
import type { MembersContext } from '#server/features/members/members.ts'
import type { AttributionContext, ConversionContext } from '#server/features/tracking/tracking.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import type { OperatorConfig } from '#server/platform/config/read-operator.ts'
import type { PaymentGateway } from './gateways/gateway.ts'

/** The dependencies of billing; created once, in server/context.ts. */
export interface BillingContext extends MembersContext, AttributionContext, ConversionContext {
  log: Log
  experiments: Experiments
  /** The configured gateways, in the order in which the checkout offers them. */
  gateways: readonly PaymentGateway[]
  /** Whether users may have a prepaid balance (PREPAID_BALANCE). */
  isBalanceEnabled: boolean
  /** The public URL of the site, to which gateways redirect browsers and send webhook events. */
  publicUrl: string
  /** The seller, as shown on receipts. */
  operator: OperatorConfig
  /** Time limit of one gateway call, in milliseconds. */
  gatewayTimeoutMs?: number
  translate(language: Language, key: string): string
  /**
   * Finds the viewer's entitlement to an episode. Provided by the media feature (media/feature.ts).
   * @throws Refusal notFound; locked with the offer; episodeNotReady with the progress of the conversion
   */
  findCoveringEntitlement(viewer: Viewer, episodeId: string, language: Language): Promise<EntitlementRow>
}
