import * as calls from '#contract/social.ts'
import type { SocialAnswer } from '#contract/social.ts'
import { loadUser, type UserContext } from '#server/features/members/account/load-user.ts'
import { safeRedirect } from '#server/platform/http/safe-redirect.ts'
import { route, type PlainRoute, type Route } from '#server/platform/http/route.ts'
import { requireMember, signedInJustNow } from '#server/features/members/credentials/reauthenticate.ts'
import { confirmCode } from './confirm-code.ts'
import { linkSocial, listIdentities, unlinkSocial } from './manage-identities.ts'
import type { SocialProvider } from './social-provider.ts'
import { leaveForProvider, reasonOf, returnFromProvider, type SocialContext } from './visit-provider.ts'

export type { SocialContext } from './visit-provider.ts'

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
      const viewer = await confirmCode(context, call)
      return { info: await loadUser(context, viewer, call.language) }
    }),
  ]
}

/** The way to each provider and back. A provider without keys has neither. */
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
      summary: `Signs in with ${provider.name}, or links it to the member who is signed in`,
      answers: {
        302: { words: 'On to the provider' },
        303: { words: 'Back to a screen that says what is wrong, or asks a member for a proof' },
      },
    },
    async handle(request, reply, caller) {
      reply.header('cache-control', 'no-store')
      const wished = safeRedirect(queryOf(request).get('return_to'), context.publicUrl)
      try {
        const call = await caller()
        const member = call.viewer?.role === 'member'
        if (!mayStart(request, context.publicUrl, member))
          return reply.redirect(screen('/login', { return_to: wished }), 303)
        if (member && !(await signedInJustNow(context, requireMember(call))))
          return reply.redirect(wayOut(provider, 'prove', member, wished), 303)
        const returnTo = wished ?? (member ? '/individual' : '/')
        return reply.redirect(await leaveForProvider(context, provider, call, returnTo), 302)
      } catch (error) {
        context.log.warn(
          { provider: provider.id, reason: reasonOf(error) },
          'a social sign-in could not start',
        )
        return reply.redirect(wayOut(provider, 'failed', false, wished), 303)
      }
    },
  }
}

function callbackRoute(context: SocialContext, provider: SocialProvider): PlainRoute {
  return {
    method: 'GET',
    path: `/api/user/social/${provider.id}/callback`,
    description: {
      summary: `Comes back from ${provider.name}`,
      answers: { 303: { words: 'Back into the site, signed in, or to a screen that says why not' } },
    },
    async handle(request, reply, caller) {
      reply.header('cache-control', 'no-store')
      try {
        const call = await caller()
        const cameBack = { query: queryOf(request), cookies: request.cookies }
        const ending = await returnFromProvider(context, provider, call, cameBack)
        if (!('answer' in ending)) return reply.redirect(ending.returnTo, 303)
        const member = call.viewer?.role === 'member'
        const out = wayOut(provider, ending.answer, member, ending.returnTo)
        // In the fragment, which no server and no log sees.
        return reply.redirect(ending.ticket ? `${out}#ticket=${ending.ticket}` : out, 303)
      } catch (error) {
        context.log.error({ provider: provider.id, reason: reasonOf(error) }, 'a social sign-in failed')
        return reply.redirect(wayOut(provider, 'failed', false, undefined), 303)
      }
    },
  }
}

/**
 * Whether a visit to a provider may begin: not at another site's wish, since that site may have signed the browser in at
 * the provider as somebody else before. Where the browser does not tell who wished it, a member does not start either:
 * that somebody's identity would open the member's account.
 */
function mayStart(request: Request, publicUrl: string, member: boolean): boolean {
  const { referer, 'sec-fetch-site': site } = request.headers
  if (site === 'same-origin') return true
  if (site !== undefined && site !== 'none') return false
  if (site === undefined && referer !== undefined)
    return URL.canParse(referer) && new URL(referer).origin === new URL(publicUrl).origin
  return !member
}

/** Where somebody reads why it did not work: who signs in at /login, who links at their settings. */
function wayOut(
  { id }: SocialProvider,
  social: SocialAnswer,
  member: boolean,
  returnTo: string | undefined,
): string {
  return screen(member ? '/individual' : '/login', { social, provider: id, return_to: returnTo })
}

function screen(path: string, fields: Record<string, string | undefined>): string {
  const given = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

function queryOf({ url }: Request): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start < 0 ? '' : url.slice(start))
}
