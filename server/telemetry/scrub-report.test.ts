import { expect, it } from 'vitest'
import { environmentOf, scrubReport } from '#contract/error-reports.ts'

it("leaves a user's message unchanged, even if it begins with #", () => {
  const contexts = {
    feedback: { message: '#4 has no sound in play/pause?', url: 'https://site.test/?fbclid=c' },
  }
  scrubReport({ contexts })
  expect(contexts.feedback).toEqual({ message: '#4 has no sound in play/pause?', url: 'https://site.test/' })
})

it('removes queries, fragments and media signatures at any depth, and leaves sentences unchanged', () => {
  const report = {
    message: 'What? "x" failed at /videos/v',
    breadcrumbs: [
      { data: { url: '/api/video?id=v&fbclid=click', from: '/retrievePassword#reset=secret' } },
      { message: 'GET https://site.test/media/99.usr_1.mac/asset/seg_1.m4s?x=1 ended' },
    ],
    query: '?ttclid=t',
    bytes: new Uint8Array([63]),
  }
  scrubReport(report)
  expect(report).toEqual({
    message: 'What? "x" failed at /videos/v',
    breadcrumbs: [
      { data: { url: '/api/video', from: '/retrievePassword' } },
      { message: 'GET https://site.test/media/-/asset/seg_1.m4s ended' },
    ],
    query: '',
    bytes: new Uint8Array([63]),
  })
})

it('reports the environment `sandbox` for a host that contains the configured text, and `production` for other hosts', () => {
  expect(environmentOf('try.sandbox.example', '.sandbox.')).toBe('sandbox')
  expect(environmentOf('drama.example', '.sandbox.')).toBe('production')
  expect(environmentOf('drama.example', undefined)).toBe('production')
})
