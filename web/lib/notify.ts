const loadToast = () => import('#web/ui/toast.ts')
let loading: ReturnType<typeof loadToast> | undefined
let isErrorShown = false

/** Shows a message for a few seconds. The toast's code is loaded on the first use. */
export function notify(message: string): void {
  isErrorShown = false
  withToast(({ showToast }) => showToast(message))
}

/** Shows an error message for a few seconds, or until `hideError` is called. */
export function notifyError(message: string): void {
  notify(message)
  isErrorShown = true
}

/** Hides an error message because its action is retried or abandoned. Other messages stay. */
export function hideError(): void {
  if (!isErrorShown) return
  isErrorShown = false
  withToast(({ hideToast }) => hideToast())
}

/**
 * Uses the toast once it is loaded, in the order of the calls. Two imports would not keep the order: the second import
 * does not wait for the style sheet that the first import loads.
 */
function withToast(use: (toast: Awaited<ReturnType<typeof loadToast>>) => void): void {
  loading ??= loadToast()
  loading.then(use).catch(() => (loading = undefined))
}
