let isProblem = false

/** Shows a sentence for a few seconds. The toast's code is fetched when the first one is needed. */
export function notify(message: string): void {
  isProblem = false
  import('#web/ui/toast.ts').then(({ showToast }) => showToast(message)).catch(() => {})
}

/** The same with what went wrong, until it is tried again. */
export function notifyProblem(message: string): void {
  notify(message)
  isProblem = true
}

/** Takes a sentence about a problem away: it is tried again, or left behind. Any other stays. */
export function forgetProblem(): void {
  if (!isProblem) return
  isProblem = false
  import('#web/ui/toast.ts').then(({ hideToast }) => hideToast()).catch(() => {})
}
