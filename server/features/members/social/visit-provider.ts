import { Fault, Refusal } from '#contract/errors.ts'
import type { SocialAnswer } from '#contract/social.ts'
import { answerInTransaction } from '#server/features/members/answer-in-transaction.ts'
import { limitNetwork } from '#server/features/members/credentials/login-throttle.ts'
import {
  cookieFor,
  cookieName,
  type AccountCall,
  type MembersContext,
} from '#server/features/members/members-context.ts'
import type { Log } from '#server/platform/log.ts'
import { selectOwned, spendState } from '#server/features/members/credentials/identity-queries.ts'
import {
  linkIdentity,
  signInWithIdentity,
  type SocialSignInResult,
  type SocialIdentity,
} from './social-sign-in.ts'
import {
  checksOf,
  flowCookie,
  flowCookieDays,
  flowMs,
  newState,
  decryptFlow,
  returnToOf,
  encryptFlow,
  encryptTicket,
  type SocialFlow,
} from './social-flow.ts'
import type { SocialProfile, SocialProvider } from './social-provider.ts'

export interface SocialContext extends MembersContext {
  log: Log
  publicUrl: string
  /** Providers with keys. */
  socialProviders: readonly SocialProvider[]
}

/** The result of a visit: where to redirect to, or why the sign-in failed. */
type Ending = { returnTo: string } | { answer: SocialAnswer; returnTo: string | undefined; ticket?: string }

/**
 * Starts a visit to a provider, for a member only after reauthentication; the browser gets an encrypted cookie of it.
 * @returns the provider's URL
 * @throws Error if the provider cannot be reached or its response is invalid
 */
export async function leaveForProvider(
  { secret, secure, clock, publicUrl }: SocialContext,
  provider: SocialProvider,
  call: AccountCall,
  returnTo: string,
): Promise<string> {
  const flow: SocialFlow = {
    provider: provider.id,
    state: newState(secret, returnTo),
    startedAt: clock.now().getTime(),
    returnTo,
    memberId: memberOf(call),
  }
  const checks = checksOf(secret, flow.state, callbackAddress(publicUrl, provider))
  const address = await provider.authorizationUrl(checks, flow.memberId !== null)
  const sealed = encryptFlow(secret, flow)
  call.setHeader('set-cookie', cookieFor(secure, flowCookie(flow.state), sealed, flowCookieDays))
  return address.href
}

interface CameBack {
  /** The parameters sent by the provider. */
  query: URLSearchParams
  cookies: Record<string, string | undefined>
}

/** Handles the return from a provider: checks that this browser started the flow, identifies the user, and signs in or links. */
export async function returnFromProvider(
  context: SocialContext,
  provider: SocialProvider,
  call: AccountCall,
  { query, cookies }: CameBack,
): Promise<Ending> {
  const { secret, secure } = context
  const state = query.get('state') ?? ''
  const name = flowCookie(state)
  const sealed = cookies[cookieName(secure, name)]
  // An app's in-app browser may pass the response to another browser, or lose its cookies.
  if (!sealed) return { answer: 'lost', returnTo: returnToOf(secret, state) }
  call.setHeader('set-cookie', cookieFor(secure, name, '', 0))
  const flow = decryptFlow(secret, sealed, state)
  if (!flow || flow.provider !== provider.id) return { answer: 'failed', returnTo: undefined }
  const { returnTo } = flow
  const settled = await finish(context, provider, call, flow, query).catch(refuseTooMany)
  if (settled === 'done') return { returnTo }
  if (typeof settled === 'string') return { answer: settled, returnTo }
  const endsAt = context.clock.now().getTime() + flowMs
  const { id: identityId, user_id: userId } = settled.codeOf
  const ticket = encryptTicket(secret, { userId, provider: provider.id, identityId, endsAt })
  return { answer: 'second_factor', returnTo, ticket }
}

async function finish(
  context: SocialContext,
  provider: SocialProvider,
  call: AccountCall,
  flow: SocialFlow,
  query: URLSearchParams,
): Promise<SocialSignInResult> {
  const now = context.clock.now()
  const endsAt = new Date(flow.startedAt + flowMs)
  if (now > endsAt || !(await spendState(context.db, flow.state, endsAt, now))) return 'expired'
  // A user who signed in or out in the meantime must start again.
  if (memberOf(call) !== flow.memberId) return 'expired'
  const error = query.get('error')
  if (error !== null) return error === 'access_denied' ? 'cancelled' : 'failed'
  await limitNetwork(context, 'sign-in', call.ip)
  const person = await askWho(context, provider, flow, query)
  if (!person) return 'failed'
  const known = flow.memberId !== null || (await selectOwned(context.db, person)) !== undefined
  if (!known) await limitNetwork(context, 'register', call.ip)
  return settle(context, call, { provider: provider.id, person })
}

function refuseTooMany(error: unknown): 'failed' {
  if (error instanceof Fault && error.reason === 'tooMany') return 'failed'
  throw error
}

async function askWho(
  { log, secret, publicUrl }: SocialContext,
  provider: SocialProvider,
  { state }: SocialFlow,
  query: URLSearchParams,
): Promise<SocialProfile | undefined> {
  const address = callbackAddress(publicUrl, provider)
  const callback = new URL(address)
  callback.search = query.toString()
  try {
    return await provider.identify(callback, checksOf(secret, state, address))
  } catch (error) {
    log.warn(
      { provider: provider.id, reason: reasonOf(error) },
      'a social provider did not identify the user',
    )
    return undefined
  }
}

/** Returns an error's message only: its other fields may contain tokens and addresses. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = Object(error.cause ?? error) as { code?: unknown }
  return typeof code === 'string' ? `${error.message} (${code})` : error.message
}

/** SQLSTATE unique_violation: the same e-mail was taken concurrently, and a retry finds it taken. */
const uniqueViolation = '23505'

async function settle(
  context: SocialContext,
  call: AccountCall,
  vouched: SocialIdentity,
): Promise<SocialSignInResult> {
  const work = memberOf(call) === null ? signInWithIdentity : linkIdentity
  const attempt = () => answerInTransaction(context.db, call, (tx, held) => work(context, tx, held, vouched))
  try {
    return await attempt().catch((error: unknown) => {
      if (Object(error).code === uniqueViolation) return attempt()
      throw error
    })
  } catch (error) {
    if (error instanceof Refusal) return 'failed'
    throw error
  }
}

function memberOf({ viewer }: AccountCall): string | null {
  return viewer?.role === 'member' ? viewer.userId : null
}

function callbackAddress(publicUrl: string, { id }: SocialProvider): string {
  return `${publicUrl}/api/user/social/${id}/callback`
}
