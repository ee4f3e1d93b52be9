import type { ComponentProps } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import type { SubmitBar } from './SubmitBar.tsx'

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

const base: ComponentProps<typeof SubmitBar> = {
  cents: 999,
  currency: 'USD',
  label: (price) => `Pay ${price}`,
  terms: 'Once, tax included.',
}

async function barOf(props: Partial<typeof base>): Promise<string> {
  const { SubmitBar: Bar } = await import('./SubmitBar.tsx')
  return renderToStaticMarkup(<Bar {...base} {...props} />)
}

it('takes cents and shows the price with two decimals in its button', async () => {
  expect(await barOf({})).toContain('>Pay $9.99</button>')
  expect(await barOf({ cents: 100, currency: 'EUR' })).toContain('>Pay €1.00</button>')
  expect(await barOf({ cents: 5 })).toContain('>Pay $0.05</button>')
})

it('shows the terms with the button, and a note below if there is one', async () => {
  const bar = await barOf({ note: 'No real money moves.' })
  const [, terms] = /<p id="([^"]+)">Once, tax included\.<\/p>/.exec(bar) ?? []
  expect(bar).toContain(`aria-describedby="${terms}"`)
  expect(bar).toContain('>No real money moves.</p></div>')
  expect(await barOf({})).toMatch(/<\/button><\/div><\/div>$/)
})

it('submits the form around it if it has no handler', async () => {
  expect(await barOf({})).toContain('type="submit"')
  expect(await barOf({ onPress: () => {} })).toContain('type="button"')
})

it('is disabled during a payment, and if its caller disables it', async () => {
  expect(await barOf({})).not.toContain('disabled')
  expect(await barOf({ disabled: true })).toContain('disabled=""')
  const working = await barOf({ busy: 'Processing…' })
  expect(working).toContain('>Processing…</button>')
  expect(working).toContain('disabled=""')
})
