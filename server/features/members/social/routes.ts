import * as calls from '#contract/social.ts'
import type { SocialSignInOutcome } from '#contract/social.ts'
import { loadUser, type UserContext } from '#server/features/members/account/load-user.ts'
import { safeRedirect } from '#server/platform/http/safe-redirect.ts'
import { route, type PlainRoute, type Route } from '#server/platform/http/route.ts'
import { requireMember, isSignInRecent } from '#server/features/members/credentials/reauthenticate.ts'
import { confirmSocialSecondFactor } from './confirm-second-factor.ts'
import { linkSocial, listIdentities, unlinkSocial } from './manage-identities.ts'
import type { SocialProvider } from './social-provider.ts'
import { startAuthorization, errorMessage, handleCallback, type SocialContext } from './authorization-flow.ts'

export type { SocialContext } from './authorization-flow.ts'

type Request = Parameters<PlainRoute['handle']>[0]

/** Routes to list, link and unlink social providers, and to complete a social sign-in with an authenticator code. */
export function socialRoutes(context: SocialContext & UserContext): Route[] {
  const { db, socialProviders } = context
  const list = socialProviders.map(({ id, name }) => ({ id, name }))
  return [
    route(calls.listSocialProviders, async ({ viewer }) => ({
      data: { list, next_cursor: null, linked: await listIdentities(context, db, viewer) },
    })),
    route(calls.linkSocial, async (call) => ({ info: { url: await linkSocial(context, call) } })),
    route(calls.unlinkSocial, async (call) => ({ info: { linked: await unlinkSocial(context, call) } })),
    route(calls.confirmSocial, async (call) => {
      const viewer = await confirmSocialSecondFactor(context, call)
      return { info: await loadUser(context, viewer, call.language) }
    }),
  ]
}

/** Returns the routes that start a sign-in at each configured provider and handle the return from it. */
export function socialPlainRoutes(context: SocialContext): PlainRoute[] {
  return context.socialProviders.flatMap((provider) => [
    startRoute(context, provider),
    callbackRoute(context, provider),
  ])
}

function startRoute(context: SocialContext, provider: SocialProvider): PlainRoute {
  return {
    method: 'GET',
    path: `/api/user/social/${provider.id}`,
    description: {
      summary: `Starts a sign-in with ${provider.name}, or links it to the signed-in member`,
      answers: {
        302: { words: 'Redirect to the provider' },
        303: { words: 'Redirect to a screen that explains the error, or asks a member to reauthenticate' },
      },
    },
    async handle(request, reply, caller) {
      reply.header('cache-control', 'no-store')
      const requestedReturnTo = safeRedirect(queryOf(request).get('return_to'), context.publicUrl)
      try {
        const call = await caller()
        const member = call.viewer?.role === 'member'
        if (!mayStart(request, context.publicUrl, member))
          return reply.redirect(pagePath('/login', { return_to: requestedReturnTo }), 303)
        if (member && !(await isSignInRecent(context, requireMember(call))))
          return reply.redirect(errorPagePath(provider, 'reauthenticate', member, requestedReturnTo), 303)
        const returnTo = requestedReturnTo ?? (member ? '/individual' : '/')
        return reply.redirect(await startAuthorization(context, provider, call, returnTo), 302)
      } catch (error) {
        context.log.warn(
          { provider: provider.id, reason: errorMessage(error) },
          'a social sign-in could not start',
        )
        return reply.redirect(errorPagePath(provider, 'failed', false, requestedReturnTo), 303)
      }
    },
  }
}

function callbackRoute(context: SocialContext, provider: SocialProvider): PlainRoute {
  return {
    method: 'GET',
    path: `/api/user/social/${provider.id}/callback`,
    description: {
      summary: `Handles the redirect back from ${provider.name}`,
      answers: { 303: { words: 'Redirect to the site, signed in, or to a screen that explains the error' } },
    },
    async handle(request, reply, caller) {
      reply.header('cache-control', 'no-store')
      try {
        const call = await caller()
        const callback = { query: queryOf(request), cookies: request.cookies }
        const result = await handleCallback(context, provider, call, callback)
        if (!('answer' in result)) return reply.redirect(result.returnTo, 303)
        const member = call.viewer?.role === 'member'
        const errorPage = errorPagePath(provider, result.answer, member, result.returnTo)
        // The ticket is in the fragment, which is neither sent to a server nor logged.
        return reply.redirect(result.ticket ? `${errorPage}#ticket=${result.ticket}` : errorPage, 303)
      } catch (error) {
        context.log.error({ provider: provider.id, reason: errorMessage(error) }, 'a social sign-in failed')
        return reply.redirect(errorPagePath(provider, 'failed', false, undefined), 303)
      }
    },
  }
}

/**
 * Returns whether a flow at a provider may start. Another site must not start one, because it may have signed the
 * browser in at the provider as another user. For a member, the browser must also report who initiated the request.
 * Otherwise, another user's identity could be linked to the member's account.
 */
function mayStart(request: Request, publicUrl: string, member: boolean): boolean {
  const { referer, 'sec-fetch-site': site } = request.headers
  if (site === 'same-origin') return true
  if (site !== undefined && site !== 'none') return false
  if (site === undefined && referer !== undefined)
    return URL.canParse(referer) && new URL(referer).origin === new URL(publicUrl).origin
  return !member
}

/** Returns the page that explains a failure: the login page for a sign-in, the account page for linking. */
function errorPagePath(
  { id }: SocialProvider,
  result: SocialSignInOutcome,
  member: boolean,
  returnTo: string | undefined,
): string {
  return pagePath(member ? '/individual' : '/login', { social: result, provider: id, return_to: returnTo })
}

function pagePath(path: string, fields: Record<string, string | undefined>): string {
  const definedFields = Object.entries(fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  return definedFields.length === 0 ? path : `${path}?${new URLSearchParams(definedFields).toString()}`
}

function queryOf({ url }: Request): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start))
}
