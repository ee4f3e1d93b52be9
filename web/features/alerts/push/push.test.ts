import { setImmediate } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { withPushLock } from './browser-subscription.ts'
import { unsubscribe } from './push.ts'

const events: string[] = []

vi.hoisted(() => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
})

it('ends the subscription only after another page has registered it', async () => {
  const subscription = { endpoint: 'https://push.example/1', unsubscribe: async () => events.push('ended') }
  const registration = { pushManager: { getSubscription: async () => subscription } }
  vi.stubGlobal('navigator', {
    locks: navigator.locks,
    languages: ['en'],
    serviceWorker: { getRegistration: async () => registration },
  })
  vi.stubGlobal('fetch', async () => Response.json({ code: 200, info: { browsers: [], public_key: '' } }))
  const registering = withPushLock(async () => {
    await setImmediate()
    events.push('registered')
  })
  await Promise.all([unsubscribe(), registering])
  expect(events).toEqual(['registered', 'ended'])
})
