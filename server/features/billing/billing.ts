export { redactGatewayError } from './redact-gateway-error.ts'
export { syncOrderWithGateway } from './sync-order-with-gateway.ts'
export { exportOrders, listAllOrders, listDisputes, type Look } from './list-all-orders.ts'
export { findCustomerOf, findCustomers, findOrderEmail, listMethodsOf } from './find-customer.ts'
export { loadOrderDetails } from './load-order-details.ts'
export { loadReconciliation } from './load-reconciliation.ts'
export { reconcile } from './reconcile.ts'
export { refundOrder, type RefundLimit } from './refund-order.ts'
export {
  addPlan,
  changePlanTerms,
  listPlanMembers,
  listPlansForAdmin,
  retirePlan,
  type PlanTerms,
} from './manage-plans.ts'
export type { OrderFilter } from './order-list-queries.ts'
export type { BillingContext } from './billing-context.ts'
export { billingJobs } from './billing-jobs.ts'
export { eraseBilling } from './erase-billing.ts'
export { exportBilling } from './export-billing.ts'
export { forgetClicksOfOrders } from './forget-clicks.ts'
export { addByCurrency, loadDailyRevenue, type RevenueDay } from './daily-revenue.ts'
export type { LedgerSums } from './ledger-sum-queries.ts'
export { takeSales, type TakenSales } from './sale-queries.ts'
export { membershipOf } from './membership.ts'
export { mergeBilling } from './merge-billing.ts'
export { isPayable } from './gateways.ts'
export { loadExperimentSales } from './experiment-sales.ts'
export type { ArmSales } from './experiment-sales-queries.ts'
export { loadPlans, offerFor } from './offer.ts'
export type { PaymentGateway } from './gateway.ts'
