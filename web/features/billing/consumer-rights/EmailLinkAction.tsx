import { useEffect } from 'react'
import { deleteStoredFragment } from '#web/features/members/sign-in/social-return.ts'
import { RequestEmailLink } from './RequestEmailLink.tsx'
import { CancelByLink, WithdrawByLink } from './CancelOrWithdraw.tsx'
import { ClaimPurchase } from './ClaimPurchase.tsx'
import type { EmailLink } from './email-link.ts'

/**
 * The page behind the links in mails; it needs no session. Only its button changes anything, because mail scanners open
 * links too.
 */
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
