import { useRef, useState } from 'react'

type Texts<Name extends string> = Record<Name, string>

/**
 * The fields of a form: a message stands beside each when it is left and on submit, and the first bad one gets the focus.
 * `messagesOf` says what is wrong, by field; what is missing there is right.
 */
export function useFields<Name extends string>(
  initial: Texts<Name>,
  messagesOf: (value: Texts<Name>) => Partial<Texts<Name>>,
) {
  const [value, setValue] = useState(initial)
  const [left, setLeft] = useState<readonly Name[]>([])
  const inputs = useRef<Partial<Record<Name, HTMLElement | null>>>({})
  const messages = messagesOf(value)
  // Object.keys forgets which names there are.
  const names = Object.keys(initial) as Name[]
  const focus = (name: Name) => inputs.current[name]?.focus()
  return {
    value,
    focus,
    set: (change: Partial<Texts<Name>>) => setValue((old) => ({ ...old, ...change })),
    /** Empties what was sent, for the next; nothing of it counts as left. */
    renew(change: Partial<Texts<Name>>): void {
      setValue((old) => ({ ...old, ...change }))
      setLeft([])
    },
    /** Shows every message. @returns whether there is none */
    check(): boolean {
      // A field that comes later, such as the code at a sign-in, has not been tried yet.
      setLeft(names.filter((name) => inputs.current[name] || messages[name]))
      const first = names.find((name) => messages[name])
      if (first) focus(first)
      return !first
    },
    field: (name: Name) => ({
      name,
      value: value[name],
      message: left.includes(name) ? (messages[name] ?? '') : '',
      onValue: (text: string) => setValue((old) => ({ ...old, [name]: text })),
      onLeave() {
        // The window was left, not the field, which has the focus again when the window has.
        if (document.activeElement === inputs.current[name]) return
        afterPress(() => setLeft((old) => [...old, name]))
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
