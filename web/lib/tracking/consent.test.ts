import { beforeEach, expect, it, vi } from 'vitest'
import { stubStorage } from '#web/lib/stub-storage.ts'

/** Reloads the modules, as a new document does, in a browser with empty storage. */
async function openDocument(consent: 'standard' | 'strict') {
  vi.resetModules()
  vi.stubGlobal('document', {
    getElementById: (id: string) => (id === 'settings' ? { textContent: JSON.stringify({ consent }) } : null),
  })
  const [{ answerConsent }, { adClickIds, storeVisitParameters }] = await Promise.all([
    import('./consent.ts'),
    import('./visit-parameters.ts'),
  ])
  return { answerConsent, adIds: adClickIds, takeVisitParameters: storeVisitParameters }
}

let stored: Map<string, string>
beforeEach(() => {
  stored = stubStorage()
})

const landing = new URL('https://site.test/?token=ann&fbclid=f&ttclid=t')

it('if consent mode is strict, keeps click ids in memory until the user agrees', async () => {
  const { answerConsent, adIds, takeVisitParameters } = await openDocument('strict')
  takeVisitParameters(new URL(landing))
  expect(adIds()).toEqual({ fbclid: 'f', ttclid: 't' })
  expect([...stored.keys()]).toEqual(['referrer_token'])
  answerConsent(true)
  expect(stored.get('fbclid')).toBe('f')
  expect(stored.get('ttclid')).toBe('t')
})

it('if consent mode is standard, stores click ids at once, and deletes them after a refusal', async () => {
  const { answerConsent, adIds, takeVisitParameters } = await openDocument('standard')
  takeVisitParameters(new URL(landing))
  expect(stored.get('fbclid')).toBe('f')
  answerConsent(false)
  expect(stored.has('fbclid') || stored.has('ttclid')).toBe(false)
  expect(adIds()).toEqual({ fbclid: 'f', ttclid: 't' })
  const later = await openDocument('standard')
  expect(later.adIds()).toEqual({})
  later.takeVisitParameters(new URL(landing))
  expect(stored.has('fbclid')).toBe(false)
})

it('after a refusal, also deletes a click id that is too long to be sent', async () => {
  const { answerConsent, adIds } = await openDocument('standard')
  stored.set('fbclid', 'x'.repeat(513))
  answerConsent(false)
  expect([stored.has('fbclid'), adIds()]).toEqual([false, {}])
})
