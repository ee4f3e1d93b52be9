import { useState } from 'react'
import type { CustomerEntitlement } from '#contract/studio/orders.ts'
import { revokeEntitlement } from '#contract/studio/customers.ts'
import { Button } from '#web/ui/Button.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { ReasonSheet } from '#web/studio/ui/sheets/ReasonSheet.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { EntitlementTable, entitlementText } from './EntitlementTable.tsx'

/** A customer's entitlements. Each can be revoked with a reason. */
export function Entitlements({
  entitlements,
  renewsAt,
}: {
  entitlements: CustomerEntitlement[]
  renewsAt: string | null
}) {
  const { t } = useTexts()
  const mayRevoke = usePermissions()(revokeEntitlement)
  const actions = {
    title: t('customers.actions'),
    actions: true,
    cell: (held: CustomerEntitlement) =>
      held.revocation_reason === null ? <RevokeEntitlement held={held} /> : null,
  }
  return (
    <Panel title={t('customers.access')}>
      <EntitlementTable
        entitlements={entitlements}
        renewsAt={renewsAt}
        empty={t('customers.freeEpisodesOnly')}
        {...(mayRevoke ? { actions } : {})}
      />
    </Panel>
  )
}

function RevokeEntitlement({ held }: { held: CustomerEntitlement }) {
  const { t } = useTexts()
  const [isConfirming, setConfirming] = useState(false)
  const { run } = useCommand(revokeEntitlement, t('done.accessRevoked'))
  const revokeTexts = revokeText(held)
  return (
    <>
      <Button variant="quiet" onClick={() => setConfirming(true)}>
        {t(revokeTexts.action)}
        <span className="hidden-text"> {entitlementText(held, t)}</span>
      </Button>
      {isConfirming && (
        <ReasonSheet
          title={t(revokeTexts.title)}
          text={t(revokeTexts.text)}
          action={t(revokeTexts.action)}
          onConfirm={(reason) => run({ id: held.id, reason })}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  )
}

/**
 * Returns the texts of the button and its confirmation. An entitlement that a refund or a dispute has revoked gets
 * other texts, because it is restored if the refund fails or the dispute is won. An operator can prevent that by
 * revoking it too.
 */
function revokeText({ revoked_at, source, order_id }: CustomerEntitlement) {
  if (revoked_at !== null)
    return {
      action: 'customers.keepRevoked',
      title: 'customers.keepRevokedTitle',
      text: 'customers.keepRevokedText',
    } as const
  const isRenewedBySubscription = source === 'subscription' && order_id !== null
  return {
    action: 'customers.revoke',
    title: 'customers.revokeTitle',
    text: isRenewedBySubscription ? 'customers.revokePlan' : 'customers.revokeText',
  } as const
}
