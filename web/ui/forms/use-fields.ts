import { useRef, useState } from 'react'

type Texts<Name extends string> = Record<Name, string>

/**
 * Manages the fields of a form. Each field's message is shown on blur and on submit; submit also focuses the first
 * invalid field.
 * @param validate returns the errors by field; a field without an error is valid
 */
export function useFields<Name extends string>(
  initial: Texts<Name>,
  validate: (value: Texts<Name>) => Partial<Texts<Name>>,
) {
  const [value, setValue] = useState(initial)
  const [touched, setTouched] = useState<readonly Name[]>([])
  const inputs = useRef<Partial<Record<Name, HTMLElement | null>>>({})
  const messages = validate(value)
  // `Object.keys` returns `string[]`, which loses the type of the names.
  const names = Object.keys(initial) as Name[]
  const focus = (name: Name) => inputs.current[name]?.focus()
  return {
    value,
    focus,
    set: (change: Partial<Texts<Name>>) => setValue((old) => ({ ...old, ...change })),
    /**
     * Sets values for the next entry, such as empty values after a submit. No field shows its message until it is used
     * again.
     */
    reset(change: Partial<Texts<Name>>): void {
      setValue((old) => ({ ...old, ...change }))
      setTouched([])
    },
    /** Shows the messages of all fields and focuses the first invalid field. @returns true if all fields are valid */
    showErrors(): boolean {
      // A valid field that is not rendered is not marked as touched. An example is the second-factor code at sign-in: it
      // is required only once it appears, and must not show its message before the user has tried to fill it in.
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
        // Ignores the blur of a window that loses focus: the field keeps its focus within the page.
        if (document.activeElement === inputs.current[name]) return
        afterPress(() => setTouched((old) => [...old, name]))
      },
      input: (element: HTMLElement | null) => {
        inputs.current[name] = element
      },
    }),
  }
}

/**
 * Delays a message until the mouse button is released. Otherwise the message could move the pressed button away, and
 * the click would be lost.
 */
export function afterPress(show: () => void): void {
  if (document.querySelector(':active')) addEventListener('mouseup', show, { once: true })
  else show()
}
