import { createRoot } from 'react-dom/client'
import { withTexts } from '#web/i18n/with-texts.ts'
import { notify } from '#web/lib/notify.ts'

let open = false

/** Opens the dialog for a person's own words. It has a root of its own: it opens where the site's has failed, too. */
export async function openFeedback(): Promise<void> {
  if (open) return
  open = true
  try {
    // The texts of sheets are in the player's part.
    const { FeedbackDialog } = await withTexts('watch', withTexts('feedback', import('./FeedbackDialog.tsx')))
    const place = document.createElement('div')
    // Inside the shell, for its accent.
    const shell = document.querySelector('#app > *') ?? document.body
    shell.append(place)
    const root = createRoot(place)
    const close = () => {
      root.unmount()
      place.remove()
      open = false
    }
    root.render(<FeedbackDialog onClose={close} />)
  } catch {
    open = false
    notify('toast.offline')
  }
}
