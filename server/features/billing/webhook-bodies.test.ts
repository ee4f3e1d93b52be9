import { afterAll, beforeAll, expect, test } from 'vitest'
import { moneySite, type MoneySite } from '#server/testing/money-site.ts'
import { signBody } from './gateways/sandbox/notifications.ts'

let site: MoneySite
beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

test.each(['null', '7', '"text"', '[]', 'true', '{', ''])(
  'a signed webhook body %s is refused with 400',
  async (text) => {
    // The secret of the site's sandbox (money-site.ts).
    const signing = { secret: 'a secret of the tests', clock: site.context.clock }
    const { body, headers } = signBody(signing, text)
    const response = await fetch(`${site.url}/api/webhook/payment/sandbox`, { method: 'POST', body, headers })
    expect(response.status).toBe(400)
  },
)
