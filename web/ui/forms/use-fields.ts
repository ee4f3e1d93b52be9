import { useRef, useState } from 'react'

type Texts<Name extends string> = Record<Name, string>

/**
 * The fields of a form. A message is shown for each field on blur and on submit, and the first invalid one gets the focus.
 * `validate` returns the errors by field; a field without one is valid.
 */
export function useFields<Name extends string>(
  initial: Texts<Name>,
  validate: (value: Texts<Name>) => Partial<Texts<Name>>,
) {
  const [value, setValue] = useState(initial)
  const [touched, setTouched] = useState<readonly Name[]>([])
  const inputs = useRef<Partial<Record<Name, HTMLElement | null>>>({})
  const messages = validate(value)
  // Object.keys loses the names in its type.
  const names = Object.keys(initial) as Name[]
  const focus = (name: Name) => inputs.current[name]?.focus()
  return {
    value,
    focus,
    set: (change: Partial<Texts<Name>>) => setValue((old) => ({ ...old, ...change })),
    /** Clears the submitted values for the next entry; the fields count as untouched. */
    reset(change: Partial<Texts<Name>>): void {
      setValue((old) => ({ ...old, ...change }))
      setTouched([])
    },
    /** Shows every message. @returns whether there is none */
    showErrors(): boolean {
      // A field that appears later, such as the code at a sign-in, is untouched.
      setTouched(names.filter((name) => inputs.current[name] || messages[name]))
      const first = names.find((name) => messages[name])
      if (first) focus(first)
      return !first
    },
    field: (name: Name) => ({
      name,
      value: value[name],
      message: touched.includes(name) ? (messages[name] ?? '') : '',
      onValue: (text: string) => setValue((old) => ({ ...old, [name]: text })),
      onLeave() {
        // The window was left, not the field, which is focused again with the window.
        if (document.activeElement === inputs.current[name]) return
        afterPress(() => setTouched((old) => [...old, name]))
      },
      input: (element: HTMLElement | null) => {
        inputs.current[name] = element
      },
    }),
  }
}

/** Delays a message until a press has ended, because it may push down the pressed button. */
export function afterPress(show: () => void): void {
  if (document.querySelector(':active')) addEventListener('mouseup', show, { once: true })
  else show()
}
