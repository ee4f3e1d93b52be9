import { expect, it, vi } from 'vitest'
import { i18n } from '#web/i18n/index.ts'
import { topUpChoice } from '#web/features/billing/payments/balance-copy.ts'
import { openSandboxWallet } from './sandbox-wallet.ts'

vi.hoisted(() => {
  const createElement = () => ({
    addEventListener: () => {},
    children: [] as unknown[],
    replaceChildren(...children: unknown[]) {
      this.children = children
    },
  })
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null, createElement })
})

const events = { ready: vi.fn(), failed: vi.fn(), click: vi.fn(), confirm: vi.fn(), cancel: vi.fn() }

it('describes a top-up by the money that it adds, followed by its terms', () => {
  const choice = topUpChoice(i18n.t, { id: 'top_1', price_cents: 1000, bonus_cents: 150, currency: 'USD' })
  const container = document.createElement('div')
  openSandboxWallet({ container, choice, events })
  const description = container.children[0]?.ariaDescription
  expect(description).toMatch(/^\$11\.50 to spend on this site\. You pay \$10\.00 once\. /)
})
