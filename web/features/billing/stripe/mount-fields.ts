import font from '@fontsource-variable/figtree/files/figtree-latin-wght-normal.woff2?url'
import { afterPress } from '#web/ui/forms/use-fields.ts'
import { fieldKinds, type FieldKind, type StripeField, type StripeScript } from './stripe-script.ts'

/** Visual state of a field. */
export interface FieldState {
  invalid: boolean
  focused: boolean
}
export type FieldStates = Record<FieldKind, FieldState>

export const untouchedStates: FieldStates = {
  cardNumber: { invalid: false, focused: false },
  cardExpiry: { invalid: false, focused: false },
  cardCvc: { invalid: false, focused: false },
}

interface FieldOptions {
  containerOf(kind: FieldKind): HTMLElement
  placeholders: Record<FieldKind, string>
  locale: string
  /** Called with the visual states of all fields when one of them changes. */
  onStates(looks: FieldStates): void
}

export interface MountedFields {
  number: StripeField
  /** Marks incomplete fields. @returns the first incomplete field */
  check(): FieldKind | undefined
  focus(kind: FieldKind): void
  /** Marks a field as invalid, and focuses it. */
  markInvalid(kind: FieldKind): void
}

/**
 * Mounts Stripe's fields and tracks their state. Only Stripe has the input; it reports whether the input is complete.
 */
export function mountFields(
  stripe: StripeScript,
  { containerOf, placeholders, locale, onStates }: FieldOptions,
): MountedFields {
  const elements = stripe.elements({
    locale,
    fonts: [{ ...siteFont, src: `url(${new URL(font, location.href).href})` }],
  })
  const style = readStyle()
  let states = untouchedStates
  const change = (kind: FieldKind, look: Partial<FieldState>) => {
    states = { ...states, [kind]: { ...states[kind], ...look } }
    onStates(states)
  }
  const mount = (kind: FieldKind) => {
    const container = containerOf(kind)
    const brand = kind === 'cardNumber' ? { showIcon: true, disableLink: true } : {}
    const field = elements.create(kind, { style, placeholder: placeholders[kind], ...brand })
    // Before the field's frame has loaded, the state is unknown, and the field does not count as incomplete.
    const state = { incomplete: false, marked: false }
    const mark = () => {
      state.marked = true
      change(kind, { invalid: state.incomplete })
    }
    field.on('ready', () => (state.incomplete = true))
    field.on('change', ({ complete, error }) => {
      state.incomplete = !complete
      state.marked ||= error !== undefined
      change(kind, { invalid: state.incomplete && state.marked })
    })
    field.on('focus', () => change(kind, { focused: true }))
    field.on('blur', () => {
      change(kind, { focused: false })
      // When the whole window loses the focus, the field stays the active element and is not marked.
      if (!container.contains(document.activeElement)) afterPress(mark)
    })
    // Removes the elements of an earlier mount.
    container.replaceChildren()
    field.mount(container)
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
      return fieldKinds.find((kind) => mounted[kind].state.incomplete)
    },
    focus,
    markInvalid(kind) {
      mounted[kind].state.marked = true
      change(kind, { invalid: true })
      focus(kind)
    },
  }
}

const siteFont = { family: 'Figtree', weight: '300 900' }

/** Converts our design tokens to Stripe's style options, because Stripe's frames do not load our style sheet. */
function readStyle(): object {
  const tokens = getComputedStyle(document.documentElement)
  const token = (name: string) => tokens.getPropertyValue(name).trim()
  const subtleColor = token('--text-3')
  return {
    base: {
      color: token('--text'),
      backgroundColor: token('--background'),
      iconColor: subtleColor,
      fontFamily: 'Figtree, system-ui, sans-serif',
      fontSize: '16px',
      fontVariant: 'tabular-nums',
      '::placeholder': { color: subtleColor },
    },
    invalid: { color: token('--bad'), iconColor: token('--bad') },
  }
}
