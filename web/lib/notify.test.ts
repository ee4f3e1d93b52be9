import { beforeEach, expect, test, vi } from 'vitest'
import { hideError, notify, notifyError } from './notify.ts'

const [showToast, hideToast] = vi.hoisted(() => [vi.fn(), vi.fn()])
vi.mock('#web/ui/toast.ts', () => ({ showToast, hideToast }))

beforeEach(() => vi.clearAllMocks())

test('hides an error message once the action is retried', async () => {
  notifyError('This code is wrong.')
  hideError()
  await vi.waitFor(() => expect(hideToast).toHaveBeenCalledOnce(), 60_000)
  expect(showToast).toHaveBeenCalledExactlyOnceWith('This code is wrong.')
})

test('shows a success message for its full time, also after an error message', async () => {
  notifyError('This code is wrong.')
  notify('Saved.')
  hideError()
  await vi.waitFor(() => expect(showToast).toHaveBeenCalledTimes(2), 60_000)
  expect(hideToast).not.toHaveBeenCalled()
})
