import { beforeEach, describe, expect, it, vi } from 'vitest'
import '#web/i18n/watch.ts'
import { copyText, shareUrl, shareTargets } from './share.ts'

const notified = vi.hoisted(() => {
  vi.stubGlobal('location', { origin: 'https://site.test', search: '' })
  vi.stubGlobal('document', { documentElement: {}, getElementById: () => null })
  return vi.fn<(message: string) => void>()
})
vi.mock('#web/lib/notify.ts', () => ({ notify: notified }))

beforeEach(() => notified.mockClear())

describe('a shared link', () => {
  it("contains the sharer's code as the referrer token", () => {
    expect(shareUrl('/videos/vid_1?episode=2', 'abc')).toBe(
      'https://site.test/videos/vid_1?episode=2&token=abc',
    )
    expect(shareUrl('/videos/vid_1', null)).toBe('https://site.test/videos/vid_1')
  })

  it('is passed to every network completely, whatever characters the title contains', () => {
    for (const { href } of shareTargets('A & B = C?', 'https://site.test/videos/vid_1?episode=2&token=abc'))
      expect(href).toContain(encodeURIComponent('https://site.test/videos/vid_1?episode=2&token=abc'))
  })
})

describe('copying', () => {
  const clipboard = (writeText: () => Promise<void>) =>
    vi.stubGlobal('navigator', { clipboard: { writeText } })

  it("shows 'Copy Success'", async () => {
    clipboard(async () => {})
    await copyText('text')
    expect(notified).toHaveBeenCalledWith('Copy Success')
  })

  it("shows 'Copy fail' if the browser refuses", async () => {
    clipboard(async () => Promise.reject(new DOMException('no', 'NotAllowedError')))
    await copyText('text')
    expect(notified).toHaveBeenCalledWith('Copy fail')
  })

  it("shows 'Unable to copy text:' and the text if copying fails for any other reason", async () => {
    vi.stubGlobal('navigator', {})
    await copyText('text')
    expect(notified).toHaveBeenCalledWith('Unable to copy text: text')
  })
})
