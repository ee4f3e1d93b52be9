/** Shows a sentence for a few seconds. The toast's code is fetched when the first one is needed. */
export function notify(message: string): void {
  import('#web/ui/toast.ts').then(({ showToast }) => showToast(message)).catch(() => {})
}
