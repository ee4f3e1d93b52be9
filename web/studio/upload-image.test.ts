import { expect, it, vi } from 'vitest'
import { uploadImage } from './upload-image.ts'

vi.hoisted(() => vi.stubGlobal('location', { search: '' }))

it('returns an empty object if the image cannot be read, for example from a damaged ZIP', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ code: 200, info: {} }))
  expect(await uploadImage('/cover', Promise.reject(new Error('damaged')))).toEqual({})
  expect(await uploadImage('/cover', Promise.resolve(new Blob()))).toEqual({ info: {} })
})
