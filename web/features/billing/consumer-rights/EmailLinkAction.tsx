import { useEffect } from 'react'
import { forgetFragment } from '#web/features/members/sign-in/social-answer.ts'
import { AskForLink } from './AskForLink.tsx'
import { CancelByLink, WithdrawByLink } from './CancelOrWithdraw.tsx'
import { ClaimPurchase } from './ClaimPurchase.tsx'

/** The action that the fragment of the member area's address asks for. */
type EmailLink =
  | { do: 'claim' | 'cancel' | 'withdraw'; secret: string }
  | { do: 'ask'; purpose: 'cancel' | 'withdraw' }

/** Parses the fragment of a mail's or the footer's link; null for the area itself. */
export function readEmailLink(hash: string): EmailLink | null {
  if (hash === '#cancel-contract') return { do: 'ask', purpose: 'cancel' }
  if (hash === '#withdraw') return { do: 'ask', purpose: 'withdraw' }
  const given = new URLSearchParams(hash.slice(1))
  for (const name of ['claim', 'cancel', 'withdraw'] as const) {
    const secret = given.get(name)
    if (secret) return { do: name, secret }
  }
  return null
}

/** A page that needs no session. Opening it changes nothing, because mail scanners open links too; only its button acts. */
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
