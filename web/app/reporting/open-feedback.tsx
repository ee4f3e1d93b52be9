import { createRoot } from 'react-dom/client'
import { withTexts } from '#web/i18n/with-texts.ts'
import { notify } from '#web/lib/notify.ts'

let open = false

/** Opens the feedback dialog. It has a React root of its own, so that it works even if the site's root has crashed. */
export async function openFeedback(): Promise<void> {
  if (open) return
  open = true
  try {
    // The texts of the sheet around the dialog are in the `watch` part.
    const { FeedbackDialog } = await withTexts('watch', withTexts('feedback', import('./FeedbackDialog.tsx')))
    const container = document.createElement('div')
    // Mounted inside the shell, to inherit its accent colour.
    const shell = document.querySelector('#app > *') ?? document.body
    shell.append(container)
    const root = createRoot(container)
    const close = () => {
      root.unmount()
      container.remove()
      open = false
    }
    root.render(<FeedbackDialog onClose={close} />)
  } catch {
    open = false
    notify('toast.offline')
  }
}
