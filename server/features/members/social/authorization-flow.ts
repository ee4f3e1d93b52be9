import { Fault, Refusal } from '#contract/errors.ts'
import type { SocialSignInOutcome } from '#contract/social.ts'
import { inTransactionWithHeaders } from '#server/features/members/in-transaction-with-headers.ts'
import { limitByNetwork } from '#server/features/members/credentials/login-throttle.ts'
import {
  serializeCookie,
  cookieName,
  type AccountCall,
  type MembersContext,
} from '#server/features/members/members-context.ts'
import type { Log } from '#server/platform/log.ts'
import { selectIdentityOwner, useState } from '#server/features/members/credentials/identity-queries.ts'
import {
  linkIdentity,
  signInWithIdentity,
  type SocialSignInResult,
  type ProviderIdentity,
} from './social-sign-in.ts'
import {
  deriveChecks,
  flowCookieName,
  flowCookieDays,
  flowLifetimeMs,
  newState,
  readFlow,
  readReturnPath,
  signFlow,
  signTicket,
  type SocialFlow,
} from './social-flow-state.ts'
import type { SocialProfile, SocialProvider } from './social-provider.ts'

export interface SocialContext extends MembersContext {
  log: Log
  publicUrl: string
  /** Providers for which keys are configured. */
  socialProviders: readonly SocialProvider[]
}

/** Result of a return from a provider: the address for the redirect, and `answer` if the sign-in is not complete. */
type CallbackResult =
  | { returnTo: string }
  | { answer: SocialSignInOutcome; returnTo: string | undefined; ticket?: string }

/**
 * Starts a sign-in or the linking of an identity at a provider. For linking, the member must have reauthenticated.
 * Stores the flow in a signed cookie of the browser.
 * @returns the provider's URL
 * @throws Error if the provider cannot be reached or its response is invalid
 */
export async function startAuthorization(
  { secret, isHttps, clock, publicUrl }: SocialContext,
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
  const checks = deriveChecks(secret, flow.state, callbackAddress(publicUrl, provider))
  const address = await provider.authorizationUrl(checks, flow.memberId !== null)
  const signedFlow = signFlow(secret, flow)
  call.setHeader(
    'set-cookie',
    serializeCookie(isHttps, flowCookieName(flow.state), signedFlow, flowCookieDays),
  )
  return address.href
}

interface CallbackRequest {
  /** The parameters sent by the provider. */
  query: URLSearchParams
  cookies: Record<string, string | undefined>
}

/**
 * Handles the return from a provider: checks that this browser started the flow, identifies the user, and signs the
 * user in or links the identity.
 */
export async function handleCallback(
  context: SocialContext,
  provider: SocialProvider,
  call: AccountCall,
  { query, cookies }: CallbackRequest,
): Promise<CallbackResult> {
  const { secret, isHttps } = context
  const state = query.get('state') ?? ''
  const name = flowCookieName(state)
  const signedFlow = cookies[cookieName(isHttps, name)]
  // An in-app browser may pass the response to another browser, or lose its cookies.
  if (!signedFlow) return { answer: 'wrong_browser', returnTo: readReturnPath(secret, state) }
  call.setHeader('set-cookie', serializeCookie(isHttps, name, '', 0))
  const flow = readFlow(secret, signedFlow, state)
  if (!flow || flow.provider !== provider.id) return { answer: 'failed', returnTo: undefined }
  const { returnTo } = flow
  const result = await completeFlow(context, provider, call, flow, query).catch(tooManyAsFailed)
  if (result === 'done') return { returnTo }
  if (typeof result === 'string') return { answer: result, returnTo }
  const endsAt = context.clock.now().getTime() + flowLifetimeMs
  const { id: identityId, user_id: userId } = result.secondFactorFor
  const ticket = signTicket(secret, { userId, provider: provider.id, identityId, endsAt })
  return { answer: 'second_factor', returnTo, ticket }
}

async function completeFlow(
  context: SocialContext,
  provider: SocialProvider,
  call: AccountCall,
  flow: SocialFlow,
  query: URLSearchParams,
): Promise<SocialSignInResult> {
  const now = context.clock.now()
  const endsAt = new Date(flow.startedAt + flowLifetimeMs)
  if (now > endsAt || !(await useState(context.db, flow.state, endsAt))) return 'expired'
  // A user who signed in or out in the meantime must start again.
  if (memberOf(call) !== flow.memberId) return 'expired'
  const error = query.get('error')
  if (error !== null) return error === 'access_denied' ? 'cancelled' : 'failed'
  await limitByNetwork(context, 'sign-in', call.ip)
  const profile = await identifyUser(context, provider, flow, query)
  if (!profile) return 'failed'
  const known = flow.memberId !== null || (await selectIdentityOwner(context.db, profile)) !== undefined
  if (!known) await limitByNetwork(context, 'register', call.ip)
  return signInOrLink(context, call, { provider: provider.id, profile })
}

function tooManyAsFailed(error: unknown): 'failed' {
  if (error instanceof Fault && error.reason === 'tooManyRequests') return 'failed'
  throw error
}

async function identifyUser(
  { log, secret, publicUrl }: SocialContext,
  provider: SocialProvider,
  { state }: SocialFlow,
  query: URLSearchParams,
): Promise<SocialProfile | undefined> {
  const address = callbackAddress(publicUrl, provider)
  const callback = new URL(address)
  callback.search = query.toString()
  try {
    return await provider.identify(callback, deriveChecks(secret, state, address))
  } catch (error) {
    log.warn(
      { provider: provider.id, reason: errorMessage(error) },
      'a social provider did not identify the user',
    )
    return undefined
  }
}

/** Returns only an error's message, because its other fields may contain tokens and addresses. */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = Object(error.cause ?? error) as { code?: unknown }
  return typeof code === 'string' ? `${error.message} (${code})` : error.message
}

/** SQLSTATE unique_violation: another call has just taken the same e-mail. A retry then finds it taken. */
const uniqueViolation = '23505'

async function signInOrLink(
  context: SocialContext,
  call: AccountCall,
  vouched: ProviderIdentity,
): Promise<SocialSignInResult> {
  const work = memberOf(call) === null ? signInWithIdentity : linkIdentity
  const attempt = () =>
    inTransactionWithHeaders(context.db, call, (tx, buffered) => work(context, tx, buffered, vouched))
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
