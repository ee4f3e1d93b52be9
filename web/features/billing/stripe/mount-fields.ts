import font from '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2?url'
import { afterPress } from '#web/ui/forms/use-fields.ts'
import { fieldKinds, type FieldKind, type StripeField, type StripeScript } from './stripe-script.ts'

/** A field as it is shown. */
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
  /** Told how the fields look, whenever that has changed. */
  show(looks: FieldLooks): void
}

export interface MountedFields {
  number: StripeField
  /** Marks what is unfinished. @returns the first of it */
  check(): FieldKind | undefined
  focus(kind: FieldKind): void
  /** Marks a field as one to be mended, and goes there. */
  refuse(kind: FieldKind): void
}

/** Puts Stripe's fields into their places, and follows them: what is typed is Stripe's, whether it will do is told. */
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
    // Nothing is known of a field before its frame is there.
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
      // The window was left, not the field.
      if (!place.contains(document.activeElement)) afterPress(mark)
    })
    // What an earlier mount has left.
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

/** Our tokens in Stripe's words; its frames do not know our style sheet. */
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
