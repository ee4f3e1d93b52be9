import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { inTransactionWithHeaders } from './in-transaction-with-headers.ts'

let site: TestSite
beforeAll(async () => {
  site = await startTestSite()
})
afterAll(() => site.close())

it('headers are set after the transaction is committed, and not set if it is rolled back', async () => {
  const set: string[] = []
  const call = { setHeader: (name: string, value: string) => void set.push(`${name}: ${value}`) }
  const run = (work: () => Promise<string>) =>
    inTransactionWithHeaders(site.context.db, call, async (_tx, buffered) => {
      buffered.setHeader('set-cookie', 'session=new')
      expect(set).toEqual([])
      return work()
    })
  await expect(run(() => Promise.reject(new Error('not written')))).rejects.toThrow('not written')
  expect(set).toEqual([])
  expect(await run(() => Promise.resolve('done'))).toBe('done')
  expect(set).toEqual(['set-cookie: session=new'])
})

it('only the headers of the last attempt are set after a deadlock', async () => {
  const set: string[] = []
  const call = { setHeader: (name: string, value: string) => void set.push(`${name}: ${value}`) }
  let tries = 0
  await inTransactionWithHeaders(site.context.db, call, async (_tx, buffered) => {
    buffered.setHeader('set-cookie', `session=${++tries}`)
    if (tries === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  })
  expect(set).toEqual(['set-cookie: session=2'])
})
