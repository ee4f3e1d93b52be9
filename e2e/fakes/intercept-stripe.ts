import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import type { BrowserContext, Route } from '@playwright/test'
import { stripePort } from '#e2e/support/site-url.ts'

const read = (file: string) => stripTypeScriptTypes(readFileSync(join(import.meta.dirname, file), 'utf8'))
const page = (script: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stripe</title><body>${body}<script type="module">${script}</script>`
const field = page(read('stripe-field.browser.ts'), '')
const bank = page(
  read('stripe-bank.browser.ts'),
  '<button value="yes">Complete</button> <button value="no">Fail</button>',
)
const script = read('stripe-script.browser.ts')

/** Requests of a browser to Stripe's hosts. */
export interface StripeRequests {
  /** Paths of the documents that requested Stripe's script. */
  scriptRequesters: string[]
  confirmed: number
}

/**
 * Replaces Stripe's hosts in the browser: serves the script and its frames, and forwards API requests to the fake
 * Stripe that the site uses too.
 */
export async function interceptStripe(context: BrowserContext): Promise<StripeRequests> {
  const requests: StripeRequests = { scriptRequesters: [], confirmed: 0 }
  await context.route(/^https:\/\/js\.stripe\.com\/v3\/$/, async (route) => {
    requests.scriptRequesters.push(new URL(route.request().frame().url()).pathname)
    await route.fulfill({ contentType: 'text/javascript', body: script })
  })
  await context.route('https://js.stripe.com/v3/field.html*', (route) => sendPage(route, field))
  await context.route('https://hooks.stripe.com/bank.html*', (route) => sendPage(route, bank))
  await context.route('https://api.stripe.com/**', async (route) => {
    const { pathname, search } = new URL(route.request().url())
    if (pathname.endsWith('/confirm')) requests.confirmed++
    const response = await route.fetch({ url: `http://127.0.0.1:${stripePort}${pathname}${search}` })
    await route.fulfill({ response })
  })
  return requests
}

const sendPage = (route: Route, body: string) => route.fulfill({ contentType: 'text/html', body })
