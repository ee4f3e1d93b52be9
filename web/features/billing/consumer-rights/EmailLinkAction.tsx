import { useEffect } from 'react'
import { forgetFragment } from '#web/features/members/sign-in/social-answer.ts'
import { AskForLink } from './AskForLink.tsx'
import { CancelByLink, WithdrawByLink } from './CancelOrWithdraw.tsx'
import { ClaimPurchase } from './ClaimPurchase.tsx'
import type { EmailLink } from './email-link.ts'

/** A page that needs no session. Opening it changes nothing, because mail scanners open links too; only its button does. */
export function EmailLinkAction({ link }: { link: EmailLink }) {
  useEffect(forgetFragment, [])
  if (link.do === 'ask') return <AskForLink purpose={link.purpose} />
  if (link.do === 'claim') return <ClaimPurchase secret={link.secret} />
  return link.do === 'cancel' ? (
    <CancelByLink secret={link.secret} />
  ) : (
    <WithdrawByLink secret={link.secret} />
  )
}
