import { checkCard, newToken, type CardRefusal, type CardInput } from './check-card.ts'
import * as queries from './queries.ts'
import type { SandboxContext } from './sandbox-context.ts'

/** Lifetime of a card token. */
const tokenLifetimeMs = 15 * 60_000

interface CardToken {
  ok: true
  token: string
  brand: string
  last4: string
}

/** Checks a card and exchanges it for a token. The card number is not stored, and appears in no log or error. */
export async function exchangeCard(
  { db, clock }: Pick<SandboxContext, 'db' | 'clock'>,
  input: CardInput,
): Promise<CardToken | CardRefusal> {
  const checked = checkCard(input)
  if (!checked.ok) return checked
  const token = newToken()
  const { behaviour, brand, last4, expiresAt } = checked.card
  const expires_at = new Date(clock.now().getTime() + tokenLifetimeMs)
  const row = { token, behaviour, brand, last4, card_expires_at: expiresAt, expires_at }
  await queries.insertToken(db, row, clock.now())
  return { ok: true, token, brand, last4 }
}
