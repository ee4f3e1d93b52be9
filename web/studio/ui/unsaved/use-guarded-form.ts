import { useState } from 'react'
import { isSignedOut } from '#web/studio/session-queries.ts'
import { useForm, type FormOptions } from '#web/ui/forms/use-form.ts'
import { useUnsaved } from './use-unsaved.ts'

/**
 * Manages a form of the studio. It asks before unsaved input is lost, and adopts values that were saved elsewhere
 * meanwhile (a new `initial`). `send` returns false after it has shown why nothing was saved. If the session has
 * expired, no error is shown, because the sign-in appears.
 */
export function useGuardedForm<Name extends string>(options: FormOptions<Name>) {
  const { initial } = options
  const [lastSent, setLastSent] = useState(initial)
  const form = useForm({
    ...options,
    send: async (value) => {
      try {
        if ((await options.send(value)) !== false) setLastSent(value)
      } catch (error) {
        if (!isSignedOut(error)) throw error
      }
    },
  })
  useMergeServerChanges(form, initial)
  // Object.keys loses the names in its type.
  const names = Object.keys(initial) as Name[]
  // A value that was sent counts as saved, even if the server has normalized it, for example trimmed it.
  const isUnsaved = names.some(
    (name) => form.value[name] !== initial[name] && form.value[name] !== lastSent[name],
  )
  useUnsaved(isUnsaved)
  return { ...form, isUnsaved }
}

type Texts<Name extends string> = Record<Name, string>

/** Updates a form with values that were saved elsewhere meanwhile. Fields with unsaved input stay unchanged. */
function useMergeServerChanges<Name extends string>(
  form: { value: Texts<Name>; set: (change: Partial<Texts<Name>>) => void },
  saved: Texts<Name>,
): void {
  const [last, setLast] = useState(saved)
  // Object.keys loses the names in its type.
  const names = Object.keys(saved) as Name[]
  const changed = names.filter((name) => saved[name] !== last[name])
  if (changed.length === 0) return
  setLast(saved)
  const change: Partial<Texts<Name>> = {}
  for (const name of changed) if (form.value[name] === last[name]) change[name] = saved[name]
  form.set(change)
}
