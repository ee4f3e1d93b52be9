import type { Job } from '#server/platform/jobs/jobs.ts'
import { sendOrderLinks } from './consumer-rights/send-order-links.ts'
import type { BillingContext } from './billing-context.ts'
import { aggregateExperimentSales } from './reporting/experiment-sales.ts'
import { purgeUnpaidOrders } from './jobs/purge-unpaid-orders.ts'
import { purgeWebhookEvents } from './jobs/purge-webhook-events.ts'
import { expireBonus } from './jobs/expire-bonus.ts'
import { hasJanitorWork, runJanitor } from './jobs/janitor.ts'
import { anyLinkRequests } from './consumer-rights/link-request-queries.ts'
import { reconcile } from './reconciliation/reconcile.ts'
import { remindSubscribers } from './subscriptions/remind-subscribers.ts'
import { hasDueSubscriptions } from './records/renewals/renewal-queries.ts'
import { renewDueSubscriptions } from './jobs/renew-due-subscriptions.ts'
import { notifyPriceChange } from './subscriptions/notify-price-change.ts'
import { aggregateDailyRevenue } from './reporting/daily-revenue.ts'
import { retryWithdrawalRefunds } from './consumer-rights/withdraw.ts'

/** Returns the scheduled jobs of billing. */
export function billingJobs(context: BillingContext): Job[] {
  return [
    {
      name: 'billing-janitor',
      everySeconds: 10,
      dueWhen: hasJanitorWork,
      run: (signal) => runJanitor(context, signal),
    },
    {
      name: 'billing-renewals',
      everySeconds: 10,
      dueWhen: hasDueSubscriptions,
      run: (signal) => renewDueSubscriptions(context, signal),
    },
    { name: 'billing-price-changes', everySeconds: 3600, run: () => notifyPriceChange(context) },
    { name: 'billing-reminders', everySeconds: 600, run: () => remindSubscribers(context) },
    {
      name: 'send-order-links',
      everySeconds: 10,
      dueWhen: anyLinkRequests,
      wakeOn: 'link_requests',
      run: (signal) => sendOrderLinks(context, signal),
    },
    { name: 'billing-withdrawals', everySeconds: 600, run: () => retryWithdrawalRefunds(context) },
    { name: 'expire-bonus', everySeconds: 600, run: () => expireBonus(context) },
    { name: 'billing-reconciliation', everySeconds: 3600, run: () => reconcile(context) },
    {
      name: 'aggregate-experiment-sales',
      everySeconds: 300,
      run: (signal) => aggregateExperimentSales(context, signal),
    },
    { name: 'purge-unpaid-orders', everySeconds: 3600, run: () => purgeUnpaidOrders(context) },
    {
      name: 'purge-webhook-events',
      everySeconds: 3600,
      run: (signal) => purgeWebhookEvents(context, { signal }),
    },
    { name: 'aggregate-daily-revenue', everySeconds: 600, run: () => aggregateDailyRevenue(context) },
  ]
}
