import { useState } from 'react'

type Texts<Name extends string> = Record<Name, string>

/** Shows in a form what has been saved beside it meanwhile; a field that somebody is typing in stays as it is. */
export function useSavedElsewhere<Name extends string>(
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
