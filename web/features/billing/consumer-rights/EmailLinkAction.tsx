import { useEffect } from 'react'
import { deleteStoredFragment } from '#web/features/members/sign-in/social-return.ts'
import { RequestEmailLink } from './RequestEmailLink.tsx'
import { CancelByLink, WithdrawByLink } from './CancelOrWithdraw.tsx'
import { ClaimPurchase } from './ClaimPurchase.tsx'
import type { EmailLink } from './email-link.ts'

/** A page that needs no session. Opening it changes nothing, because mail scanners open links too; only its button does. */
export function EmailLinkAction({ link }: { link: EmailLink }) {
  useEffect(deleteStoredFragment, [])
  if (link.action === 'ask') return <RequestEmailLink purpose={link.purpose} />
  if (link.action === 'claim') return <ClaimPurchase secret={link.secret} />
  return link.action === 'cancel' ? (
    <CancelByLink secret={link.secret} />
  ) : (
    <WithdrawByLink secret={link.secret} />
  )
}
