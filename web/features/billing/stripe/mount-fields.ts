import font from '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2?url'
import { afterPress } from '#web/ui/forms/use-fields.ts'
import { fieldKinds, type FieldKind, type StripeField, type StripeScript } from './stripe-script.ts'

/** Visual state of a field. */
export interface FieldLook {
  bad: boolean
  focused: boolean
}
export type FieldLooks = Record<FieldKind, FieldLook>

export const untouched: FieldLooks = {
  cardNumber: { bad: false, focused: false },
  cardExpiry: { bad: false, focused: false },
  cardCvc: { bad: false, focused: false },
}

interface Settings {
  placeOf(kind: FieldKind): HTMLElement
  placeholders: Record<FieldKind, string>
  locale: string
  /** Called with the fields' visual states whenever one changes. */
  show(looks: FieldLooks): void
}

export interface MountedFields {
  number: StripeField
  /** Marks incomplete fields. @returns the first of them */
  check(): FieldKind | undefined
  focus(kind: FieldKind): void
  /** Marks a field as invalid, and focuses it. */
  refuse(kind: FieldKind): void
}

/** Mounts Stripe's fields and tracks their events: Stripe keeps the input and reports only whether it is valid. */
export function mountFields(
  stripe: StripeScript,
  { placeOf, placeholders, locale, show }: Settings,
): MountedFields {
  const elements = stripe.elements({
    locale,
    fonts: [{ ...ownFont, src: `url(${new URL(font, location.href).href})` }],
  })
  const style = readStyle()
  let looks = untouched
  const change = (kind: FieldKind, look: Partial<FieldLook>) => {
    looks = { ...looks, [kind]: { ...looks[kind], ...look } }
    show(looks)
  }
  const mount = (kind: FieldKind) => {
    const place = placeOf(kind)
    const brand = kind === 'cardNumber' ? { showIcon: true, disableLink: true } : {}
    const field = elements.create(kind, { style, placeholder: placeholders[kind], ...brand })
    // A field's state is unknown before its frame has loaded.
    const state = { unfinished: false, marked: false }
    const mark = () => {
      state.marked = true
      change(kind, { bad: state.unfinished })
    }
    field.on('ready', () => (state.unfinished = true))
    field.on('change', ({ complete, error }) => {
      state.unfinished = !complete
      state.marked ||= error !== undefined
      change(kind, { bad: state.unfinished && state.marked })
    })
    field.on('focus', () => change(kind, { focused: true }))
    field.on('blur', () => {
      change(kind, { focused: false })
      // Ignores a blur of the whole window.
      if (!place.contains(document.activeElement)) afterPress(mark)
    })
    // Removes the rest of an earlier mount.
    place.replaceChildren()
    field.mount(place)
    return { field, state, mark }
  }
  const mounted = {
    cardNumber: mount('cardNumber'),
    cardExpiry: mount('cardExpiry'),
    cardCvc: mount('cardCvc'),
  }
  const focus = (kind: FieldKind) => mounted[kind].field.focus()
  return {
    number: mounted.cardNumber.field,
    check() {
      for (const kind of fieldKinds) mounted[kind].mark()
      return fieldKinds.find((kind) => mounted[kind].state.unfinished)
    },
    focus,
    refuse(kind) {
      mounted[kind].state.marked = true
      change(kind, { bad: true })
      focus(kind)
    },
  }
}

const ownFont = { family: 'Figtree', weight: '300 900' }

/** Converts our design tokens to Stripe's style options, because its frames do not load our style sheet. */
function readStyle(): object {
  const tokens = getComputedStyle(document.documentElement)
  const token = (name: string) => tokens.getPropertyValue(name).trim()
  const quiet = token('--text-3')
  return {
    base: {
      color: token('--text'),
      backgroundColor: token('--background'),
      iconColor: quiet,
      fontFamily: 'Figtree, system-ui, sans-serif',
      fontSize: '16px',
      fontVariant: 'tabular-nums',
      '::placeholder': { color: quiet },
    },
    invalid: { color: token('--bad'), iconColor: token('--bad') },
  }
}
