export { describeError } from './describe-error.ts'
export { checkOrder } from './check-order.ts'
export { exportOrders, listAllOrders, listDisputes, type Look } from './list-all-orders.ts'
export { findBuyerOf, findBuyers, findOrderEmail, listMethodsOf } from './help-buyers.ts'
export { loadOrderFile } from './load-order-file.ts'
export { loadReconciliation } from './load-reconciliation.ts'
export { reconcile } from './reconcile.ts'
export { refundOrder, type RefundLimit } from './refund-order.ts'
export {
  addPlan,
  changeSoldPlan,
  listPlanMembers,
  listSoldPlans,
  retirePlan,
  type PlanTerms,
} from './sell-plans.ts'
export type { OrderFilter } from './order-list-queries.ts'
export type { BillingContext } from './billing-context.ts'
export { billingJobs } from './billing-jobs.ts'
export { eraseBilling } from './erase-billing.ts'
export { exportBilling } from './export-billing.ts'
export { forgetClicksOfOrders } from './forget-clicks.ts'
export { addByCurrency, loadMoneyDays, type MoneyDay } from './money-days.ts'
export type { LedgerSums } from './ledger-sum-queries.ts'
export { takeSales, type TakenSales } from './sale-queries.ts'
export { membershipOf } from './membership.ts'
export { mergeBilling } from './merge-billing.ts'
export { isPayable } from './gateways.ts'
export { loadExperimentSales } from './experiment-sales.ts'
export type { ArmSales } from './experiment-sales-queries.ts'
export { loadPlans, offerFor } from './offer.ts'
export type { PaymentGateway } from './gateway.ts'
