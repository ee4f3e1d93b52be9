import { useState } from 'react'
import { isSignedOut } from '#web/studio/queries.ts'
import { useForm, type FormOptions } from '#web/ui/forms/use-form.ts'
import { useUnsaved } from './unsaved.ts'

/**
 * A form of the studio: whoever would lose what was typed is asked first, and what is saved elsewhere meanwhile, as `initial`
 * has it, is shown. `send` answers false if nothing was saved, and has said why; where the session has ended, the sign-in
 * that comes over it does.
 */
export function useGuardedForm<Name extends string>(options: FormOptions<Name>) {
  const { initial } = options
  const [sent, setSent] = useState(initial)
  const form = useForm({
    ...options,
    send: async (value) => {
      try {
        if ((await options.send(value)) !== false) setSent(value)
      } catch (error) {
        if (!isSignedOut(error)) throw error
      }
    },
  })
  useSavedElsewhere(form, initial)
  // Object.keys forgets which names there are.
  const names = Object.keys(initial) as Name[]
  // The server may keep it in other words than it was sent in, such as without blanks around it.
  const isUnsaved = names.some(
    (name) => form.value[name] !== initial[name] && form.value[name] !== sent[name],
  )
  useUnsaved(isUnsaved)
  return { ...form, isUnsaved }
}

type Texts<Name extends string> = Record<Name, string>

/** Shows in a form what has been saved beside it meanwhile; a field that somebody is typing in stays as it is. */
function useSavedElsewhere<Name extends string>(
  form: { value: Texts<Name>; set: (change: Partial<Texts<Name>>) => void },
  saved: Texts<Name>,
): void {
  const [last, setLast] = useState(saved)
  // Object.keys forgets which names there are.
  const names = Object.keys(saved) as Name[]
  const changed = names.filter((name) => saved[name] !== last[name])
  if (changed.length === 0) return
  setLast(saved)
  const change: Partial<Texts<Name>> = {}
  for (const name of changed) if (form.value[name] === last[name]) change[name] = saved[name]
  form.set(change)
}
