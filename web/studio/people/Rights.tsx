import { useState } from 'react'
import type { CustomerEntitlement } from '#contract/studio/orders.ts'
import { revokeEntitlement } from '#contract/studio/people.ts'
import { Button } from '#web/ui/Button.tsx'
import { useMay } from '#web/studio/queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { AskReason } from '#web/studio/ui/sheets/AskReason.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { useCommand } from '#web/studio/use-command.ts'
import { EntitlementTable, rightText } from './EntitlementTable.tsx'

/** A customer's entitlements; each can be revoked with a reason. */
export function Rights({
  entitlements,
  renewsAt,
}: {
  entitlements: CustomerEntitlement[]
  renewsAt: string | null
}) {
  const { t } = useTexts()
  const mayRevoke = useMay()(revokeEntitlement)
  const actions = {
    title: t('people.actions'),
    actions: true,
    cell: (held: CustomerEntitlement) => (held.revoked_for === null ? <Revoke held={held} /> : null),
  }
  return (
    <Panel title={t('people.rights')}>
      <EntitlementTable
        entitlements={entitlements}
        renewsAt={renewsAt}
        empty={t('people.noRights')}
        {...(mayRevoke ? { actions } : {})}
      />
    </Panel>
  )
}

function Revoke({ held }: { held: CustomerEntitlement }) {
  const { t } = useTexts()
  const [asked, setAsked] = useState(false)
  const { run } = useCommand(revokeEntitlement, t('done.rightRevoked'))
  const words = revokeText(held)
  return (
    <>
      <Button look="quiet" onClick={() => setAsked(true)}>
        {t(words.action)}
        <span className="hidden-text"> {rightText(held, t)}</span>
      </Button>
      {asked && (
        <AskReason
          title={t(words.title)}
          text={t(words.text)}
          action={t(words.action)}
          onDo={(reason) => run({ id: held.id, reason })}
          onClose={() => setAsked(false)}
        />
      )}
    </>
  )
}

/**
 * Returns the texts of the confirmation. They differ for an entitlement that a refund or dispute has locked already: unless
 * revoked, it would be unlocked if the money came back.
 */
function revokeText({ revoked_at, source, order_id }: CustomerEntitlement) {
  if (revoked_at !== null)
    return {
      action: 'people.keepLocked',
      title: 'people.keepLockedTitle',
      text: 'people.keepLockedText',
    } as const
  const comesBack = source === 'subscription' && order_id !== null
  return {
    action: 'people.revoke',
    title: 'people.revokeTitle',
    text: comesBack ? 'people.revokePlan' : 'people.revokeText',
  } as const
}
