import { useEffect } from 'react'
import { forgetFragment } from '#web/features/members/social-answer.ts'
import { AskForLink } from './AskForLink.tsx'
import { CancelByLink, WithdrawByLink } from './LeaveByLink.tsx'
import { ClaimPurchase } from './ClaimPurchase.tsx'

/** What the fragment of the member area's address asks for. */
type Way =
  | { do: 'claim' | 'cancel' | 'withdraw'; secret: string }
  | { do: 'ask'; purpose: 'cancel' | 'withdraw' }

/** Reads what a mail's link or the footer leads to; null for the area itself. */
export function readWay(hash: string): Way | null {
  if (hash === '#cancel-contract') return { do: 'ask', purpose: 'cancel' }
  if (hash === '#withdraw') return { do: 'ask', purpose: 'withdraw' }
  const given = new URLSearchParams(hash.slice(1))
  for (const name of ['claim', 'cancel', 'withdraw'] as const) {
    const secret = given.get(name)
    if (secret) return { do: name, secret }
  }
  return null
}

/** A page that needs no session. It does nothing by being opened, which mail scanners do too: its button does the deed. */
export function WayOut({ way }: { way: Way }) {
  useEffect(forgetFragment, [])
  if (way.do === 'ask') return <AskForLink purpose={way.purpose} />
  if (way.do === 'claim') return <ClaimPurchase secret={way.secret} />
  return way.do === 'cancel' ? <CancelByLink secret={way.secret} /> : <WithdrawByLink secret={way.secret} />
}
