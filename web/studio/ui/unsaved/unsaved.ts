import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { askBeforeClosing } from '#web/studio/ui/sheets/ask-before-closing.ts'

/** The unsaved forms on screen, each by its own key. */
const unsaved = new Set<object>()

const watchTab = () => askBeforeClosing(unsaved, unsaved.size > 0)

/** While something here is not saved, leaving asks first: the studio (LeaveGuard.tsx), or the browser before it closes the tab. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    const mark = {}
    unsaved.add(mark)
    watchTab()
    return () => {
      unsaved.delete(mark)
      watchTab()
    }
  }, [isUnsaved])
}

export const hasUnsaved = (): boolean => unsaved.size > 0

/** All is saved, or given up, though the screen has not been drawn again yet. */
export function forgetUnsaved(): void {
  unsaved.clear()
  watchTab()
}

/** Goes on to what a form has made. */
export function useGoOn(): (to: string) => void {
  const navigate = useNavigate()
  return (to) => {
    forgetUnsaved()
    void navigate(to)
  }
}
