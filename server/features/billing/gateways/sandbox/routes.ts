import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { acceptedLanguage, languageFromTag, type Language } from '#contract/languages.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { sendFile as sendStoredFile } from '#server/platform/http/sending/send-file.ts'
import { cardFields, type CardInput } from './check-card.ts'
import { exchangeCard } from './card-tokens.ts'
import * as documents from './html-pages.ts'
import * as queries from './queries.ts'
import type { SandboxContext } from './sandbox-context.ts'
import {
  decideMethodSetup,
  isMethodSetup,
  selectMethodSetup,
  type ApprovalRequest,
} from './method-setup-queries.ts'
import { sandboxTexts } from './sandbox-texts.ts'

type Request = Parameters<PlainRoute['handle']>[0]
type Reply = Parameters<PlainRoute['handle']>[1]

/** Returns the language in the request's URL or, if it has none, the browser's language. */
function languageOfRequest({ url, headers }: Pick<Request, 'url' | 'headers'>): Language {
  const requested = new URLSearchParams(url.split('?')[1]).get('lang')
  return languageFromTag(requested ?? '') ?? acceptedLanguage(headers['accept-language']) ?? 'en'
}

/** The site's font. A frame cannot use the fonts of its parent page. */
const font = fileURLToPath(
  import.meta.resolve('@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2'),
)

/** Returns the sandbox's routes: the card form, the bank's check, the wallets, and the exchange of cards for tokens. */
export function sandboxRoutes(context: SandboxContext): PlainRoute[] {
  return [
    {
      method: 'GET',
      path: '/sandbox/card',
      handle: (request, reply) => sendDocument(reply, documents.cardFormPage(languageOfRequest(request))),
    },
    {
      method: 'GET',
      path: '/sandbox/style.css',
      handle: (_request, reply) => sendFile(reply, 'text/css', documents.styleSheet),
    },
    {
      method: 'GET',
      path: '/sandbox/figtree.woff2',
      handle: (request, reply) =>
        sendStoredFile(request, reply, dirname(font), basename(font), { maxAge: '1d' }),
    },
    {
      method: 'GET',
      path: '/sandbox/express',
      handle: (request, reply) => sendDocument(reply, documents.expressPage(languageOfRequest(request))),
    },
    scriptRoute('/sandbox/card.js', 'card-form.browser.ts'),
    scriptRoute('/sandbox/express.js', 'express-sheet.browser.ts'),
    scriptRoute('/sandbox/authenticated.js', 'authenticated.browser.ts'),
    {
      method: 'POST',
      path: '/sandbox/tokens',
      handle: (request, reply) => createToken(context, request.body, languageOfRequest(request), reply),
    },
    {
      method: 'GET',
      path: '/sandbox/authenticate',
      handle: (request, reply) =>
        sendApprovalPage(context, request, reply, 'check', documents.authenticationPage),
    },
    {
      method: 'POST',
      path: '/sandbox/authenticate',
      body: 'form',
      async handle(request, reply) {
        await applyAnswer(context, request.body, { status: 'failed', decline_code: 'authentication_failed' })
        return sendDocument(reply, documents.authenticatedPage(languageOfRequest(request)))
      },
    },
    {
      method: 'GET',
      path: '/sandbox/wallet',
      handle: (request, reply) => sendApprovalPage(context, request, reply, 'wallet', documents.walletPage),
    },
    {
      method: 'POST',
      path: '/sandbox/wallet',
      body: 'form',
      async handle(request, reply) {
        const decided = await applyAnswer(context, request.body, {
          status: 'cancelled',
          decline_code: 'cancelled',
        })
        return decided
          ? reply.redirect(decided.redirectUrl, 303)
          : sendDocument(reply.code(404), documents.notFoundPage(languageOfRequest(request)))
      },
    },
  ]
}

function sendDocument(reply: Reply, html: string) {
  return reply
    .header('content-security-policy', documents.securityPolicy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html)
}

function sendFile(reply: Reply, type: string, text: string) {
  return reply.header('cache-control', 'no-cache').type(`${type}; charset=utf-8`).send(text)
}

/** Serves a TypeScript file of this directory as JavaScript, with its types removed. */
function scriptRoute(path: string, file: string): PlainRoute {
  let text: string | undefined
  return {
    method: 'GET',
    path,
    handle(_request, reply) {
      text ??= stripTypeScriptTypes(readFileSync(join(import.meta.dirname, file), 'utf8'))
      return sendFile(reply, 'text/javascript', text)
    },
  }
}

async function createToken(context: SandboxContext, body: unknown, language: Language, reply: Reply) {
  reply.header('cache-control', 'no-store')
  const input = parseCardInput(body)
  if (!input) return reply.code(400).send({ message: 'number, expiry and cvv are required' })
  const exchange = await exchangeCard(context, input)
  if (!exchange.ok)
    return reply.send({ field: exchange.field, message: sandboxTexts[language][exchange.reason] })
  const { token, brand, last4 } = exchange
  return reply.send({ token, brand, last4 })
}

function parseCardInput(body: unknown): CardInput | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const fields = body as Partial<Record<string, unknown>>
  const [number, expiry, cvv] = cardFields.map((name) => fields[name])
  if (typeof number !== 'string' || typeof expiry !== 'string' || typeof cvv !== 'string') return undefined
  return { number: number.slice(0, 40), expiry: expiry.slice(0, 20), cvv: cvv.slice(0, 8) }
}

function findApproval({ db }: SandboxContext, source: unknown): Promise<ApprovalRequest | undefined> {
  const { payment, saving } = Object(source) as Record<string, unknown>
  if (isValidId(saving)) return selectMethodSetup(db, saving)
  return isValidId(payment) ? queries.selectPayment(db, payment) : Promise.resolve(undefined)
}

const isValidId = (id: unknown): id is string => typeof id === 'string' && !id.includes('\0')

async function sendApprovalPage(
  context: SandboxContext,
  request: Request,
  reply: Reply,
  page: 'check' | 'wallet',
  renderPage: (language: Language, approval: ApprovalRequest) => string,
) {
  const language = languageOfRequest(request)
  const approval = await findApproval(context, request.query)
  const isPending =
    approval?.status === 'requires_action' && (approval.kind === 'wallet') === (page === 'wallet')
  if (approval && isPending) return sendDocument(reply, renderPage(language, approval))
  if (approval && page === 'wallet' && approval.return_url) return reply.redirect(approval.return_url, 303)
  return sendDocument(
    reply.code(approval ? 200 : 404),
    approval ? documents.authenticatedPage(language) : documents.notFoundPage(language),
  )
}

/** Applies the user's answer. Further answers change nothing. @returns the URL to which the wallet page redirects */
async function applyAnswer(
  context: SandboxContext,
  body: unknown,
  rejection: { status: 'failed' | 'cancelled'; decline_code: 'authentication_failed' | 'cancelled' },
): Promise<{ redirectUrl: string } | undefined> {
  const approval = await findApproval(context, body)
  if (!approval) return undefined
  const isApproved = Object(body).answer === 'yes'
  const change = isApproved ? ({ status: 'succeeded' } as const) : rejection
  const updateStatus = isMethodSetup(approval) ? decideMethodSetup : queries.decidePayment
  if (await updateStatus(context.db, approval.id, change)) context.notify(approval.id)
  return { redirectUrl: isMethodSetup(approval) && !isApproved ? approval.cancel_url : approval.return_url }
}
