import { bcp47Tags, type Language } from '#contract/languages.ts'
import { formatMoney } from '#contract/money.ts'
import { cardBrands } from './check-card.ts'
import { testCardNumbers } from './cards.ts'
import { isMethodSetup, type ApprovalRequest } from './method-setup-queries.ts'
import { sandboxTexts } from './sandbox-texts.ts'

/** Escapes text for HTML, including attribute values. */
function escape(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** The product name, which is the same in every language. */
const expressName = 'Sandbox Pay'

/**
 * The Content-Security-Policy of the sandbox's documents: no third-party content, and only this site may frame them.
 */
export const securityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'self'",
  "base-uri 'none'",
].join('; ')

function page({
  language,
  title,
  script,
  body,
  layout,
}: {
  language: Language
  title: string
  script?: string
  body: string
  /** How the page is shown: `framed` inside the payment page, `sheet` over it, undefined as a separate page. */
  layout?: 'framed' | 'sheet'
}): string {
  return `<!doctype html>
<html lang="${bcp47Tags[language]}"${layout ? ` class="${layout}"` : ''}>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)}</title>
<link rel="stylesheet" href="/sandbox/style.css">
${script ? `<script type="module" src="${script}"></script>\n` : ''}${body}
</html>
`
}

interface Field {
  name: 'number' | 'expiry' | 'cvv'
  label: string
  autocomplete: string
  placeholder: string
  message: string
}

function field({ name, label, autocomplete, placeholder, message }: Field): string {
  const aside = name === 'number' ? '<output id="brand" class="brand"></output>' : ''
  return `<div class="field">
  <label for="${name}">${label}</label>
  <div class="box"><input id="${name}" name="${name}" inputmode="numeric" autocomplete="${autocomplete}" placeholder="${placeholder}"
    maxlength="24" spellcheck="false" required aria-describedby="${name}-error" data-message="${escape(message)}">${aside}</div>
  <p id="${name}-error" class="error" aria-live="polite"></p>
</div>`
}

/** Returns the card form, which is shown in a frame. The parent page has the name field and the visible button. */
export function cardFormPage(language: Language): string {
  const { card, number, numberBad, expiry, expiryForm, expiryBad, cvv, cvvBad, failed, confirm } =
    sandboxTexts[language]
  const fields = [
    field({
      name: 'number',
      label: number,
      autocomplete: 'cc-number',
      placeholder: '1234 1234 1234 1234',
      message: numberBad,
    }),
    field({
      name: 'expiry',
      label: expiry,
      autocomplete: 'cc-exp',
      placeholder: expiryForm,
      message: expiryBad,
    }),
    field({ name: 'cvv', label: cvv, autocomplete: 'cc-csc', placeholder: '123', message: cvvBad }),
  ]
  const body = `<form id="card" aria-label="${escape(card)}" novalidate data-failed="${escape(failed)}" data-brands="${escape(JSON.stringify(cardBrands()))}">
${fields.join('\n')}
<button hidden>${confirm}</button>
</form>`
  return page({ language, title: card, script: '/sandbox/card.js', body, layout: 'framed' })
}

/** Inserts the amount, in bold, and the card's last digits into a text. Returns HTML. */
function approvalText(text: string, language: Language, approval: ApprovalRequest): string {
  const amount = isMethodSetup(approval)
    ? ''
    : formatMoney(approval.amount_cents, approval.currency, language)
  return escape(text)
    .replace('{amount}', () => `<b>${escape(amount)}</b>`)
    .replace('{last4}', escape(approval.last4 ?? ''))
}

function answerForm(approval: ApprovalRequest, action: string, yes: string, no: string): string {
  return `<form method="post" action="${action}">
<input type="hidden" name="${isMethodSetup(approval) ? 'saving' : 'payment'}" value="${escape(approval.id)}">
<button name="answer" value="yes" class="yes">${yes}</button>
<button name="answer" value="no">${no}</button>
</form>`
}

/**
 * Returns the page of the bank's 3-D Secure check, for a frame in the payment page. Its `main` landmark has a label,
 * because the payment page has a `main` landmark too.
 */
export function authenticationPage(language: Language, approval: ApprovalRequest): string {
  const { check, bankAsks, pay, payWith, keepCard, testBank, confirm, reject } = sandboxTexts[language]
  const paying = approval.last4 ? payWith : pay
  const body = `<main aria-label="${escape(check)}">
<h1>${bankAsks}</h1>
<p>${approvalText(isMethodSetup(approval) ? keepCard : paying, language, approval)}</p>
<p class="quiet">${testBank}</p>
${answerForm(approval, `/sandbox/authenticate?lang=${language}`, confirm, reject)}
</main>`
  return page({ language, title: check, body, layout: 'framed' })
}

/** Returns the frame's document after the bank's check. Its script notifies the payment page. */
export function authenticatedPage(language: Language): string {
  const { thanks, oneMoment } = sandboxTexts[language]
  return page({
    language,
    title: thanks,
    script: '/sandbox/authenticated.js',
    body: `<main aria-label="${escape(thanks)}"><p>${oneMoment}</p></main>`,
    layout: 'framed',
  })
}

/** Returns the wallet's page. The payment page redirects the user to it, and it redirects them back. */
export function walletPage(language: Language, approval: ApprovalRequest): string {
  const { wallet, walletAmount, keepWallet, testWallet, approve, cancel } = sandboxTexts[language]
  const body = `<main>
<h1>${wallet}</h1>
<p>${approvalText(isMethodSetup(approval) ? keepWallet : walletAmount, language, approval)}</p>
<p class="quiet">${testWallet}</p>
${answerForm(approval, '/sandbox/wallet', approve, cancel)}
</main>`
  return page({ language, title: wallet, body })
}

/** Returns an express wallet's sheet, shown over the payment page. The script fills in the purchase and its amount. */
export function expressPage(language: Language): string {
  const { card, email, testWallet, cancel, payNow, failed } = sandboxTexts[language]
  const cards = testCardNumbers.map(
    (number) => `<option value="${number}">Visa •••• ${number.slice(-4)}</option>`,
  )
  const body = `<dialog id="sheet" aria-labelledby="wallet">
<form id="pay" data-failed="${escape(failed)}">
<div class="head"><h1 id="wallet">${expressName}</h1><button id="cancel" type="button" class="plain">${cancel}</button></div>
<p class="row"><span id="shop"></span><b id="amount"></b></p>
<p class="quiet" id="line"></p>
<p class="row"><label for="number">${card}</label><select id="number">${cards.join('')}</select></p>
<p class="row"><span>${email}</span><output id="email"></output></p>
<p id="error" class="error" role="alert"></p>
<button id="confirm" class="yes" data-label="${escape(payNow)}"></button>
<p class="quiet">${testWallet}</p>
</form>
</dialog>`
  return page({ language, title: expressName, script: '/sandbox/express.js', body, layout: 'sheet' })
}

export function notFoundPage(language: Language): string {
  const { notFound, gone } = sandboxTexts[language]
  return page({
    language,
    title: notFound,
    body: `<main aria-label="${escape(notFound)}"><p>${gone}</p></main>`,
    layout: 'framed',
  })
}

export const styleSheet = `@font-face { font-family: Figtree; font-weight: 300 900; font-display: swap; src: url(/sandbox/figtree.woff2) format('woff2') }
:root { color-scheme: dark; --text: #f6efe8; --quiet: #b9aca0; --line: #a99a8f; --field: #120e0c; --accent: #ff8a4c; --bad: #ff9d8f }
* { box-sizing: border-box }
html { background: #14100e; color: var(--text); font: 16px/1.4 Figtree, system-ui, sans-serif }
html.framed { background: #1d1714 }
body { margin: 0 }
form#card { display: grid; grid-template-columns: 1fr 1fr; gap: 8px 12px; padding: 4px }
form#card .field:first-child { grid-column: 1 / -1 }
.field:first-child .error { min-height: 17px }
label { display: block; font-size: 14px; line-height: 1.45; font-weight: 600; margin-bottom: 4px }
.box { position: relative }
input { width: 100%; height: 48px; padding: 0 12px; border: 1px solid var(--line); border-radius: 10px; background: var(--field); color: var(--text); font: inherit; font-variant-numeric: tabular-nums }
input::placeholder { color: #8d8177 }
input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px }
input[aria-invalid=true] { border-color: var(--bad) }
.brand { position: absolute; right: 12px; top: 0; line-height: 48px; font-size: 12px; color: var(--quiet); pointer-events: none }
.error { margin: 2px 0 6px; min-height: 34px; line-height: 17px; font-size: 12px; color: var(--bad) }
main { max-width: 26rem; margin: 0 auto; padding: 24px }
h1 { font-size: 20px; margin: 0 0 12px }
.quiet { color: var(--quiet); font-size: 14px }
main form { display: flex; gap: 12px; margin-top: 20px }
button { flex: 1; min-height: 48px; border: 1px solid var(--line); border-radius: 10px; background: transparent; color: var(--text); font: inherit; cursor: pointer }
button.yes { background: var(--accent); border-color: var(--accent); color: #1a120c; font-weight: 600 }
button[hidden] { display: none }
html.sheet { background: transparent }
dialog { width: min(100%, 26rem); max-width: none; max-height: 100%; margin: auto auto 0; padding: 0 24px 16px; border: 0; border-radius: 18px 18px 0 0; background: #f6efe8; color: #1a120c; color-scheme: light }
dialog::backdrop { background: rgb(10 7 6 / 72%) }
dialog[open] { animation: rise 220ms cubic-bezier(0.2, 0.7, 0.2, 1) }
@keyframes rise { from { transform: translateY(100%) } }
@media (prefers-reduced-motion: reduce) { dialog[open] { animation: none } }
@media (width >= 700px) { dialog { margin: auto; border-radius: 18px } }
dialog .head { display: flex; align-items: center; justify-content: space-between; margin-right: -12px }
dialog h1 { margin: 0 }
dialog p { margin: 0 }
dialog .quiet { color: #5d5048; margin-bottom: 8px }
dialog .yes + .quiet { margin: 12px 0 0; text-align: center }
.row { display: flex; align-items: center; justify-content: space-between; gap: 12px; min-height: 48px; border-top: 1px solid #ddd0c5; overflow-wrap: anywhere }
.row:has(b) { border: 0; font-size: 20px }
.row label { margin: 0; font: inherit }
dialog .error { min-height: 0; color: #a3231a; font-size: 14px }
select { min-height: 44px; padding: 0 8px; border: 1px solid #8d8177; border-radius: 10px; background: #fff; color: inherit; font: inherit }
dialog .plain { flex: none; border: 0; padding: 0 12px; color: #8a3a0b }
dialog .yes { width: 100%; margin-top: 8px; border: 0; border-radius: 999px; background: #1a120c; color: #fff }
dialog button:focus-visible, select:focus-visible { outline-color: #8a3a0b }
dialog button:disabled { opacity: 0.6; cursor: default }
`
