import { createHash } from 'node:crypto'
import {
  GatewayRefused,
  type MethodSetups,
  type MethodSetupRequest,
  type MethodSetup,
} from '#server/features/billing/gateways/gateway.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { lockKey } from './queries.ts'
import type { SandboxContext } from './sandbox-context.ts'
import * as queries from './method-setup-queries.ts'
import type { MethodSetupRow } from './method-setup-queries.ts'
import { newReference, presentMethod, useToken, useWallet } from './use-method.ts'

/** Saves cards and wallets without a payment. The simulated bank responds as it does to a payment. */
export function createMethodSetups(context: SandboxContext): MethodSetups {
  const { db } = context
  const read = async (reference: string) => {
    const row = await queries.selectMethodSetup(db, reference)
    return row ? present(row) : null
  }
  return {
    start: (request) => start(context, request),
    complete: read,
    async retrieve(lookup) {
      if ('reference' in lookup) return read(lookup.reference)
      const row = await queries.selectMethodSetupByKey(db, lookup.key)
      return row ? present(row) : null
    },
    async cancel(reference) {
      const cancellation = { status: 'cancelled', decline_code: 'cancelled' } as const
      if (await queries.decideMethodSetup(db, reference, cancellation)) context.notify(reference)
      return read(reference)
    },
  }
}

/** Starts one setup per key. A repeated request returns the same setup. A different request with the key is refused. */
async function start(context: SandboxContext, request: MethodSetupRequest): Promise<MethodSetup> {
  const hash = createHash('sha256').update(JSON.stringify(request)).digest('hex')
  const id = newReference('ssav')
  const row = await inTransaction(context.db, async (tx) => {
    await lockKey(tx, request.key)
    const earlier = await queries.selectMethodSetupByKey(tx, request.key)
    if (earlier && earlier.request_hash !== hash)
      throw new GatewayRefused(`key ${request.key} was used for another request`)
    if (earlier) return earlier
    const now = context.clock.now()
    const { methodId, result } =
      request.method === 'wallet' ? await useWallet(tx) : await useToken(tx, request.token ?? '', now)
    await queries.insertMethodSetup(tx, {
      id,
      idempotency_key: request.key,
      request_hash: hash,
      kind: request.method,
      status: result.status,
      decline_code: result.status === 'failed' ? result.decline : null,
      method_id: methodId,
      method_setup_id: request.setupId,
      return_url: request.returnUrl,
      cancel_url: request.cancelUrl,
      created_at: now,
    })
    return queries.selectMethodSetup(tx, id)
  })
  if (!row) throw new Error(`the method setup ${id} was not found after its creation`)
  if (row.id === id) context.notify(id)
  return present(row)
}

function present(row: MethodSetupRow): MethodSetup {
  const { id, status, method_setup_id: setupId, method_id, decline_code } = row
  return {
    reference: id,
    status,
    setupId,
    ...(status === 'succeeded' && method_id !== null ? { method: presentMethod(method_id, row) } : {}),
    ...(status === 'requires_action' ? { next: nextStepOf(row) } : {}),
    ...(decline_code ? { decline: decline_code } : {}),
  }
}

/** Returns the user's next step. As with a payment, the id in its URL cannot be guessed. */
function nextStepOf({ kind, id }: MethodSetupRow): NonNullable<MethodSetup['next']> {
  if (kind === 'wallet') return { type: 'redirect', url: `/sandbox/wallet?saving=${id}` }
  return { type: 'authenticate', url: `/sandbox/authenticate?saving=${id}` }
}
