import { expect, test } from 'vitest'
import { parseTimeZone } from './time-zone.ts'

// Browsers also send old names: Chromium calls India's zone Asia/Calcutta.
test.each(['Europe/Berlin', 'America/Argentina/Ushuaia', 'Asia/Calcutta', 'Etc/GMT+12', 'UTC'])(
  'accepts the IANA name %s',
  (name) => {
    expect(parseTimeZone(name)).toBe(name)
  },
)

test.each([
  undefined,
  '',
  'Mars/Olympus',
  '+02:00',
  '-0500',
  ' Europe/Berlin',
  'Europe/Berlin\0',
  `A${'a'.repeat(64)}`,
])('does not accept %j as a time zone', (name) => {
  expect(parseTimeZone(name)).toBeUndefined()
})
