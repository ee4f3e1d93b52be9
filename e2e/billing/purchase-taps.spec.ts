import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { countInputs } from '#e2e/support/count-inputs.ts'
import { expect, test } from '#e2e/support/fixtures.ts'
import { registerMember } from '#e2e/support/register-member.ts'
import {
  cardForm,
  choosePaymentMethod,
  expectPlaying,
  expressFrame,
  lockedPanel,
  payByCard,
  sandboxSheet,
  skipToEnd,
  towerUrl,
} from '#e2e/support/playback-and-payment.ts'

const docs = readFileSync(join(import.meta.dirname, '../../docs/payments.md'), 'utf8')
const buyer = {
  email: 'ada.lovelace@example.com',
  first: 'Ada',
  last: 'Lovelace',
  number: '4242424242424242',
  expiry: '1239',
  cvv: '123',
}

/** Opens the last free episode by an ad's link, and waits until the locked episode follows automatically. */
async function openLockedEpisode(page: Page): Promise<Locator> {
  await page.goto(`${await towerUrl(page, 3)}&token=summer&fbclid=click-1`)
  await skipToEnd(page)
  const panel = lockedPanel(page, 4)
  await expect(panel.getByRole('button', { name: /^Pay \$0\.99/ })).toBeVisible()
  return panel
}

/** Taps a field, and types. */
async function type(field: Locator, text: string): Promise<void> {
  await field.click()
  await field.pressSequentially(text)
}

async function typeCard(page: Page): Promise<void> {
  const { form, card } = cardForm(page)
  await type(card.getByLabel('Card number'), buyer.number)
  await type(card.getByLabel('Expiry'), buyer.expiry)
  await type(card.getByLabel('CVV'), buyer.cvv)
  await form.getByRole('button', { name: 'Pay $0.99' }).click()
}

async function typeBuyer(page: Page): Promise<void> {
  const { form } = cardForm(page)
  await type(form.getByLabel('E-mail'), buyer.email)
  await type(form.getByLabel('First name'), buyer.first)
  await type(form.getByLabel('Last name'), buyer.last)
}

/** Buys another episode as `buyer`, before the measurement begins. */
async function buyAnotherEpisode(page: Page, save: boolean): Promise<void> {
  await page.goto(await towerUrl(page, 5))
  await lockedPanel(page, 5).getByRole('button', { name: 'Pay $0.99' }).click()
  const { form } = cardForm(page)
  if (save) await form.getByRole('checkbox', { name: 'Save this card for future purchases' }).check()
  await payByCard(page, buyer)
  await expectPlaying(page, 5)
}

interface Journey {
  name: string
  before?: (page: Page) => Promise<void>
  buy: (page: Page, panel: Locator) => Promise<void>
}

const journeys: Journey[] = [
  {
    name: 'new visitor, express wallet',
    async buy(page) {
      await expressFrame(page).getByRole('button', { name: 'Sandbox Pay' }).click()
      await sandboxSheet(expressFrame(page)).getByRole('button', { name: 'Pay $0.99' }).click()
    },
  },
  {
    name: 'new visitor, card',
    async buy(page, panel) {
      await panel.getByRole('button', { name: 'Pay $0.99' }).click()
      await typeBuyer(page)
      await typeCard(page)
    },
  },
  {
    name: 'new visitor, PayPal',
    async buy(page, panel) {
      await choosePaymentMethod(panel, 'PayPal')
      await panel.getByRole('button', { name: 'Pay $0.99' }).click()
      const { form } = cardForm(page)
      await type(form.getByLabel('E-mail'), buyer.email)
      await form.getByRole('button', { name: /Continue to pay/ }).click()
      await page.getByRole('button', { name: 'Pay now' }).click()
    },
  },
  {
    name: 'guest who has paid before, card',
    before: (page) => buyAnotherEpisode(page, false),
    async buy(page, panel) {
      await panel.getByRole('button', { name: 'Pay $0.99' }).click()
      await typeCard(page)
    },
  },
  {
    name: 'member, saved card',
    async before(page) {
      await page.goto('/')
      await registerMember(page)
      await buyAnotherEpisode(page, true)
    },
    buy: (_, panel) => panel.getByRole('button', { name: 'Pay $0.99 with •••• 4242' }).click(),
  },
]

for (const { name, before, buy } of journeys)
  test(`${name}: after an ad's link is opened, a purchase takes as many taps and keys as the docs say @screens`, async ({
    page,
    context,
  }) => {
    await before?.(page)
    const inputs = await countInputs(context)
    const panel = await openLockedEpisode(page)
    const inputsBeforePanel = { ...inputs }
    await buy(page, panel)
    await expectPlaying(page, 4)
    expect(inputsBeforePanel, 'the locked episode appears without user input').toEqual({ taps: 0, keys: 0 })
    test.info().annotations.push({ type: name, description: `${inputs.taps} taps, ${inputs.keys} keys` })
    expect(docs.toLowerCase()).toContain(`| ${name.toLowerCase()} | ${inputs.taps} | ${inputs.keys} |`)
    if (name.includes('express')) expect(inputs).toEqual({ taps: 2, keys: 0 })
  })
