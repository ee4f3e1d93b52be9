import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstLanguage, languageOf, type Language } from '#contract/languages.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { sendFile as sendStoredFile } from '#server/platform/http/sending/send-file.ts'
import { cardFields, type TypedCard } from './card-form.ts'
import { exchangeCard } from './card-tokens.ts'
import * as documents from './documents.ts'
import * as queries from './queries.ts'
import type { SandboxContext } from './sandbox-context.ts'
import { decideMethodSetup, isMethodSetup, selectMethodSetup, type Asked } from './method-setup-queries.ts'
import { words } from './words.ts'

type Request = Parameters<PlainRoute['handle']>[0]
type Reply = Parameters<PlainRoute['handle']>[1]

/** Returns the language requested by the framing page, else the browser's. */
function languageOfRequest({ url, headers }: Pick<Request, 'url' | 'headers'>): Language {
  const asked = new URLSearchParams(url.split('?')[1]).get('lang')
  return languageOf(asked ?? '') ?? firstLanguage(headers['accept-language']) ?? 'en'
}

/** The site's own font: a frame has no access to that of its parent. */
const font = fileURLToPath(
  import.meta.resolve('@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2'),
)

/** The sandbox's own HTTP routes: the card's frame, the bank's check, the wallets, and the exchange of cards for tokens. */
export function sandboxRoutes(context: SandboxContext): PlainRoute[] {
  return [
    {
      method: 'GET',
      path: '/sandbox/card',
      handle: (request, reply) => sendDocument(reply, documents.cardDocument(languageOfRequest(request))),
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
      handle: (request, reply) => sendDocument(reply, documents.expressDocument(languageOfRequest(request))),
    },
    script('/sandbox/card.js', 'card-form.browser.ts'),
    script('/sandbox/express.js', 'express-sheet.browser.ts'),
    script('/sandbox/authenticated.js', 'authenticated.browser.ts'),
    {
      method: 'POST',
      path: '/sandbox/tokens',
      handle: (request, reply) => makeToken(context, request.body, languageOfRequest(request), reply),
    },
    {
      method: 'GET',
      path: '/sandbox/authenticate',
      handle: (request, reply) => show(context, request, reply, 'check', documents.checkDocument),
    },
    {
      method: 'POST',
      path: '/sandbox/authenticate',
      body: 'form',
      async handle(request, reply) {
        await decide(context, request.body, { status: 'failed', decline_code: 'check_failed' })
        return sendDocument(reply, documents.checkedDocument(languageOfRequest(request)))
      },
    },
    {
      method: 'GET',
      path: '/sandbox/wallet',
      handle: (request, reply) => show(context, request, reply, 'wallet', documents.walletDocument),
    },
    {
      method: 'POST',
      path: '/sandbox/wallet',
      body: 'form',
      async handle(request, reply) {
        const decided = await decide(context, request.body, {
          status: 'cancelled',
          decline_code: 'cancelled',
        })
        return decided
          ? reply.redirect(decided.back, 303)
          : sendDocument(reply.code(404), documents.goneDocument(languageOfRequest(request)))
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

/** Serves a TypeScript file beside this one as JavaScript, without its types. */
function script(path: string, file: string): PlainRoute {
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

async function makeToken(context: SandboxContext, body: unknown, language: Language, reply: Reply) {
  reply.header('cache-control', 'no-store')
  const typed = typedCard(body)
  if (!typed) return reply.code(400).send({ message: 'number, expiry and cvv are needed' })
  const made = await exchangeCard(context, typed)
  if (!made.ok) return reply.send({ field: made.field, message: words[language][made.reason] })
  const { token, brand, last4 } = made
  return reply.send({ token, brand, last4 })
}

function typedCard(body: unknown): TypedCard | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const given = body as Partial<Record<string, unknown>>
  const [number, expiry, cvv] = cardFields.map((name) => given[name])
  if (typeof number !== 'string' || typeof expiry !== 'string' || typeof cvv !== 'string') return undefined
  return { number: number.slice(0, 40), expiry: expiry.slice(0, 20), cvv: cvv.slice(0, 8) }
}

function askedOf({ db }: SandboxContext, source: unknown): Promise<Asked | undefined> {
  const { payment, saving } = Object(source) as Record<string, unknown>
  if (isName(saving)) return selectMethodSetup(db, saving)
  return isName(payment) ? queries.selectPayment(db, payment) : Promise.resolve(undefined)
}

const isName = (id: unknown): id is string => typeof id === 'string' && !id.includes('\0')

async function show(
  context: SandboxContext,
  request: Request,
  reply: Reply,
  what: 'check' | 'wallet',
  write: (language: Language, asked: Asked) => string,
) {
  const language = languageOfRequest(request)
  const asked = await askedOf(context, request.query)
  const fits = asked?.status === 'requires_action' && (asked.kind === 'wallet') === (what === 'wallet')
  if (asked && fits) return sendDocument(reply, write(language, asked))
  if (asked && what === 'wallet' && asked.return_url) return reply.redirect(asked.return_url, 303)
  return sendDocument(
    reply.code(asked ? 200 : 404),
    asked ? documents.checkedDocument(language) : documents.goneDocument(language),
  )
}

/** Applies the user's answer. It counts once; later ones change nothing. @returns the URL to which a wallet redirects */
async function decide(
  context: SandboxContext,
  body: unknown,
  no: { status: 'failed' | 'cancelled'; decline_code: 'check_failed' | 'cancelled' },
): Promise<{ back: string } | undefined> {
  const asked = await askedOf(context, body)
  if (!asked) return undefined
  const yes = Object(body).answer === 'yes'
  const change = yes ? ({ status: 'succeeded' } as const) : no
  const move = isMethodSetup(asked) ? decideMethodSetup : queries.decidePayment
  if (await move(context.db, asked.id, change)) context.notify(asked.id)
  return { back: isMethodSetup(asked) && !yes ? asked.cancel_url : asked.return_url }
}
