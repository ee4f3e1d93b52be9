import type {
  FindBookedPayments,
  Payment,
  PaymentGateway,
} from '#server/features/billing/gateways/gateway.ts'

/** Lists all payments of a gateway that were made, refunded or disputed since a time. */
export async function listAllPayments(
  gateway: PaymentGateway,
  since = new Date(0),
  findBooked?: FindBookedPayments,
): Promise<Payment[]> {
  const payments: Payment[] = []
  for await (const page of gateway.listPayments(since, findBooked)) payments.push(...page)
  return payments
}
