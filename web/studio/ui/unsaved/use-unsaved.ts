import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { confirmTabClose } from '#web/studio/ui/sheets/confirm-tab-close.ts'

/** The unsaved forms on screen; each is identified by an object of its own. */
const unsaved = new Set<object>()

const updateTabGuard = () => confirmTabClose(unsaved, unsaved.size > 0)

/**
 * Marks a form as unsaved while `isUnsaved` is true. Then the studio asks before a navigation (LeaveGuard.tsx), and the
 * browser before it closes the tab.
 */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return
    const mark = {}
    unsaved.add(mark)
    updateTabGuard()
    return () => {
      unsaved.delete(mark)
      updateTabGuard()
    }
  }, [isUnsaved])
}

export const hasUnsaved = (): boolean => unsaved.size > 0

/** Marks all forms as saved or discarded, before the screen has rendered again. */
export function clearUnsaved(): void {
  unsaved.clear()
  updateTabGuard()
}

/** Returns a function that navigates to a record that a form has just created, without asking about unsaved input. */
export function useNavigateDiscarding(): (to: string) => void {
  const navigate = useNavigate()
  return (to) => {
    clearUnsaved()
    void navigate(to)
  }
}
