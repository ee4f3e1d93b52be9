import { expect, it, test } from 'vitest'
import { inAppBrowser, intentLink } from './in-app-browser.ts'

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const pixel =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/126.0.0.0 Mobile Safari/537.36'

it.each([
  [`${iPhone} Mobile/15E148 [FBAN/FBIOS;FBAV/470.0.0.40;FBBV/600;FBDV/iPhone15,2]`, 'Facebook', false],
  [`${pixel} [FB_IAB/FB4A;FBAV/470.0.0.53.83;]`, 'Facebook', true],
  [`${iPhone} Mobile/15E148 Instagram 334.0.4.32.98 (iPhone15,2; iOS 17_5; en_US)`, 'Instagram', false],
  [`${pixel} Instagram 334.0.0.42.95 Android (34/14; 420dpi; Google/google; Pixel 8)`, 'Instagram', true],
  [`${iPhone} Mobile/15E148 [FBAN/InstagramForiOS] Instagram 334.0`, 'Instagram', false],
  [
    `${iPhone} Mobile/21F79 musical_ly_34.9.0 JsSdk/2.0 NetType/WIFI BytedanceWebview/d8a21c6`,
    'TikTok',
    false,
  ],
  [
    `${pixel} trill_340903 JsSdk/1.0 NetType/WIFI AppName/trill ByteLocale/en BytedanceWebview/d8a21c6`,
    'TikTok',
    true,
  ],
])('detects the in-app browser of %s', (userAgent, app, android) =>
  expect(inAppBrowser(userAgent)).toEqual({ app, android }),
)

it.each([
  `${iPhone} Version/17.5 Mobile/15E148 Safari/604.1`,
  `${iPhone} CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1`,
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  '',
])('detects no in-app browser for %s', (userAgent) => expect(inAppBrowser(userAgent)).toBeUndefined())

test('an intent link opens the current page in another browser, and in this one if no other browser handles the link', () => {
  const link = intentLink('https://drama.example/videos/v?episode=4&token=a;b#x')
  expect(link).toMatch(/^intent:\/\/drama\.example\/videos\/v\?episode=4&token=a;b#Intent;scheme=https;/)
  expect(link).toContain(';S.browser_fallback_url=https%3A%2F%2Fdrama.example%2Fvideos%2Fv%3Fepisode%3D4')
  expect(link).toMatch(/;end$/)
  expect(intentLink('http://localhost:3000/shopping')).toContain('#Intent;scheme=http;')
})
