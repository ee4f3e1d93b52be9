export { redactGatewayError } from './gateways/redact-gateway-error.ts'
export { syncOrderWithGateway } from './reconciliation/sync-order-with-gateway.ts'
export { exportOrders, listAllOrders, listDisputes, type OrderViewOptions } from './admin/list-all-orders.ts'
export {
  findCustomerByOrder,
  findCustomersByEmail,
  findLatestOrderEmail,
  listPaymentMethods,
} from './admin/find-customer.ts'
export { loadOrderDetails } from './admin/load-order-details.ts'
export { loadReconciliation } from './admin/load-reconciliation.ts'
export { reconcile } from './reconciliation/reconcile.ts'
export { refundOrder, type RefundLimit } from './refunds/refund-order.ts'
export {
  addPlan,
  changePlanTerms,
  listPlanSubscribers,
  listPlansForAdmin,
  archivePlan,
  type PlanTerms,
} from './admin/manage-plans.ts'
export { addTopUp, changeTopUpTerms, listTopUpsForAdmin, archiveTopUp } from './admin/manage-top-ups.ts'
export type { OrderFilter } from './admin/order-list-queries.ts'
export type { BillingContext } from './billing-context.ts'
export { billingJobs } from './billing-jobs.ts'
export { eraseBilling } from './personal-data/erase-billing.ts'
export { exportBilling } from './personal-data/export-billing.ts'
export { sumByCurrency, loadDailyRevenue, loadLedgerDay, type RevenueDay } from './reporting/daily-revenue.ts'
export type { LedgerSums } from './ledger/ledger-sum-queries.ts'
export { takeUnaggregatedSales, type SalesSums } from './reporting/sale-queries.ts'
export { loadMembership } from './subscriptions/membership.ts'
export { mergeBilling } from './personal-data/merge-billing.ts'
export { isPayable } from './gateways/gateways.ts'
export { selectDeferredRevenue } from './reporting/balance-figures-queries.ts'
export { loadBalanceFigures } from './reporting/balance-figures.ts'
export { loadExperimentSales } from './reporting/experiment-sales.ts'
export type { VariantSales } from './tables.ts'
export { loadPlans } from './checkout/paywall-offer.ts'
export { createDemoOrder } from './checkout/create-demo-order.ts'
export { selectLockedEpisodes, type LockedEpisodeIds } from './records/product-queries.ts'
export type { PaymentGateway } from './gateways/gateway.ts'
