import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { askBeforeClosing } from '#web/studio/ui/sheets/ask-before-closing.ts'

/** The unsaved forms on screen, each by its own key. */
const unsaved = new Set<object>()

const watchTab = () => askBeforeClosing(unsaved, unsaved.size > 0)

/** While a form is unsaved, leaving asks first: the studio (LeaveGuard.tsx), or the browser before it closes the tab. */
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

/** Marks everything as saved or discarded before the screen has rendered again. */
export function forgetUnsaved(): void {
  unsaved.clear()
  watchTab()
}

/** Returns a function that navigates to the record that a form has created. */
export function useGoOn(): (to: string) => void {
  const navigate = useNavigate()
  return (to) => {
    forgetUnsaved()
    void navigate(to)
  }
}
