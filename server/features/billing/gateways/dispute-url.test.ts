import { expect, test } from 'vitest'
import { disputeUrl } from './dispute-url.ts'

test.each([
  ['stripe', 'pi_1', 'dp_1', 'https://dashboard.stripe.com/disputes/dp_1'],
  ['stripe', 'pi_1', null, 'https://dashboard.stripe.com/payments/pi_1'],
  ['stripe', null, null, null],
  ['paypal', 'CAPTURE-1', 'PP-D-1', 'https://www.paypal.com/resolutioncenter/view/PP-D-1'],
  ['paypal', 'CAPTURE-1', null, 'https://www.paypal.com/resolutioncenter'],
  ['sandbox', 'sbx_1', 'dsp_1', null],
  ['balance', null, null, null],
] as const)(
  'a dispute at %s (payment %s, dispute %s) is answered at %s',
  (gateway, payment, dispute, url) => {
    expect(disputeUrl(gateway, { payment, dispute })).toBe(url)
  },
)
