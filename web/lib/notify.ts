let isErrorShown = false

/** Shows a message for a few seconds. The toast's code is loaded on the first use. */
export function notify(message: string): void {
  isErrorShown = false
  import('#web/ui/toast.ts').then(({ showToast }) => showToast(message)).catch(() => {})
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
  import('#web/ui/toast.ts').then(({ hideToast }) => hideToast()).catch(() => {})
}
