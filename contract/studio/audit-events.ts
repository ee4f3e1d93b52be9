/** Payment events, caused by a gateway or a job. */
export const paymentEvents = [
  'order_paid',
  'order_restored',
  'payment_failed',
  'payment_auto_refunded',
  'order_refunded',
  'refund_failed',
  'dispute_opened',
  'dispute_closed',
] as const

/** Account and payment events of viewers in the audit log. */
export const viewerEvents = [
  'account_created',
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'sessions_revoked',
  'password_changed',
  'email_changed',
  'second_factor_enabled',
  'second_factor_disabled',
  'consent_changed',
  'identity_linked',
  'identity_unlinked',
  'data_exported',
  'account_deleted',
  ...paymentEvents,
  'order_withdrawn',
  'subscription_cancelled',
  'subscription_resumed',
  'payment_method_changed',
  'payment_method_saved',
  'payment_method_removed',
  'plan_change_scheduled',
  'plan_change_cancelled',
  'balance_forfeited',
  'auto_unlock_enabled',
  'auto_unlock_disabled',
] as const

/** Sign-ins and sign-outs of operators, and accepted invitations. */
export const studioEvents = [
  'operator_signed_in',
  'operator_sign_in_failed',
  'operator_signed_out',
  'operator_invitation_accepted',
] as const

/** Commands that need more than one transaction: the audit log has an entry for the request and one for the result. */
export const multiTransactionCommands = [
  'icon remove',
  'order sync',
  'order refund',
  'reconciliation run',
] as const

/** All other audited commands, and the image uploads of the studio. */
const singleTransactionCommands = [
  'category change',
  'category delete',
  'category merge',
  'category reorder',
  'entitlement grant',
  'entitlement revoke',
  'episode edit',
  'episode reorder',
  'episode remove',
  'episode retry',
  'episode set-titles',
  'experiment change',
  'experiment create',
  'experiment start',
  'experiment stop',
  'homepage save',
  'icon change',
  'job run',
  'languages set',
  'link create',
  'mail retry',
  'maintenance',
  'operator add',
  'operator remove',
  'operator reset-access',
  'operator set-role',
  'order export',
  'customer delete',
  'customer sign-out',
  'plan add',
  'plan change',
  'plan archive',
  'settings change',
  'tag change',
  'tag delete',
  'tag merge',
  'text restore',
  'text save',
  'top-up add',
  'top-up change',
  'top-up archive',
  'upload start',
  'upload remove',
  'video add',
  'video archive',
  'video set-cover',
  'video edit',
  'video publish',
  'video remove-cover',
  'video schedule',
  'video unschedule',
] as const

/** All audited commands. */
export const auditedCommands = [...multiTransactionCommands, ...singleTransactionCommands] as const

export type MultiTransactionCommand = (typeof multiTransactionCommands)[number]
export type AuditedCommand = (typeof auditedCommands)[number]

/** Every event of the audit log. Commands have the prefix "studio". */
export type AuditedEvent =
  | (typeof viewerEvents)[number]
  | (typeof studioEvents)[number]
  | `studio ${AuditedCommand}`

const auditedEvents: ReadonlySet<string> = new Set([
  ...viewerEvents,
  ...studioEvents,
  ...auditedCommands.map((words) => `studio ${words}`),
])

/** Returns true for an event that the current version writes. Older entries may contain other events. */
export const isAuditedEvent = (event: string): event is AuditedEvent => auditedEvents.has(event)

/** Returns true for a command that has two entries: its request and its result. */
export const isMultiTransactionCommand = (words: string): words is MultiTransactionCommand =>
  multiTransactionCommands.some((each) => each === words)
