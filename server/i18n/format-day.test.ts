import { expect, test } from 'vitest'
import { formatDay } from './format-day.ts'

const lateInUtc = new Date('2026-12-01T23:30:00Z')

test('writes the day in the user’s time zone and language', () => {
  expect(formatDay(lateInUtc, { language: 'en', timeZone: 'Europe/Berlin' })).toBe('December 2, 2026')
  expect(formatDay(lateInUtc, { language: 'dy', timeZone: 'Europe/Berlin' })).toBe('2. Dezember 2026')
  expect(formatDay(lateInUtc, { language: 'en', timeZone: 'America/New_York' })).toBe('December 1, 2026')
})

test.each([null, 'Mars/Olympus'])('writes the day in UTC and says so if the zone is %s', (timeZone) => {
  expect(formatDay(lateInUtc, { language: 'en', timeZone })).toBe('December 1, 2026 (UTC)')
  expect(formatDay(lateInUtc, { language: 'pt', timeZone })).toBe('1 de dezembro de 2026 (UTC)')
})
