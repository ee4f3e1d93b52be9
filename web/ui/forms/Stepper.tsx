import { useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './stepper.module.css'

/** While a button is held, it repeats every `repeatMs` (seed, section 9). A press counts as held after `holdMs`. */
const repeatMs = 200
const holdMs = 600

interface StepperProps {
  label: string
  fewer: string
  more: string
  value: number
  min: number
  max: number
  onValue: (value: number) => void
}

/**
 * A field for a whole number, with buttons to decrease and increase it. A typed number is applied on Enter or blur. An
 * arrow key is applied at once. The number that a held button has reached is applied on release.
 */
export function Stepper({ label, fewer, more, value, min, max, onValue }: StepperProps) {
  const [heldValue, setHeldValue] = useState<number | null>(null)
  const [chosen, setChosen] = useOptimisticValue(value)
  const number = heldValue ?? chosen
  const clamp = (wanted: number) => Math.min(max, Math.max(min, wanted))
  const choose = (wanted: number) => {
    setChosen(clamp(wanted))
    onValue(clamp(wanted))
  }
  const endHold = () => {
    setHeldValue(null)
    if (heldValue !== null) choose(heldValue)
  }
  const stepBy = (by: number) => ({
    disabled: clamp(number + by) === number,
    onStep: () => choose(number + by),
    onHold: () => setHeldValue(clamp(number + by)),
    onHoldEnd: endHold,
  })
  return (
    <div className={styles.stepper} role="group" aria-label={label}>
      <StepButton label={fewer} icon="minus" {...stepBy(-1)} />
      <NumberField label={label} value={number} min={min} max={max} onValue={choose} />
      <StepButton label={more} icon="plus" {...stepBy(1)} />
    </div>
  )
}

/**
 * Returns the last chosen number until `value` reaches it or changes to a number that was not chosen. Without this, a
 * quick second step would start from an outdated value.
 */
function useOptimisticValue(value: number) {
  const [pendingValues, setPendingValues] = useState([value])
  const chosen = pendingValues.at(-1)
  const isConfirmed = chosen === value && pendingValues.length > 1
  const isOverridden = chosen !== value && !pendingValues.includes(value)
  if (isConfirmed || isOverridden) setPendingValues([value])
  const setChosen = (wanted: number) => setPendingValues((before) => [...before, wanted])
  return [isOverridden ? value : (chosen ?? value), setChosen] as const
}

function NumberField({ label, value, min, max, onValue }: Omit<StepperProps, 'fewer' | 'more'>) {
  const [typed, setTyped] = useState<string | null>(null)
  const commit = () => {
    setTyped(null)
    if (typed && Number.isInteger(Number(typed))) onValue(Number(typed))
  }
  return (
    <input
      type="number"
      inputMode="numeric"
      aria-label={label}
      min={min}
      max={max}
      value={typed ?? value}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={commit}
      onKeyDown={({ key }) => {
        if (key === 'Enter') commit()
        // Escape closes a dialog around the field. The field then loses the focus and would apply the typed number. So
        // discard the number first.
        if (key === 'Escape') setTyped(null)
      }}
      onKeyUp={({ key }) => {
        if (key === 'ArrowUp' || key === 'ArrowDown') commit()
      }}
    />
  )
}

interface StepButtonProps {
  label: string
  icon: 'plus' | 'minus'
  disabled: boolean
  onStep: () => void
  /** Called for each repetition while the button is held. */
  onHold: () => void
  /** Called when a held button is released. */
  onHoldEnd: () => void
}

function StepButton({ label, icon, disabled, onStep, onHold, onHoldEnd }: StepButtonProps) {
  const latestHandlers = useRef({ onHold, onHoldEnd })
  useEffect(() => {
    latestHandlers.current = { onHold, onHoldEnd }
  })
  const hold = useHold(() => latestHandlers.current.onHold())
  const release = useCallback(() => {
    hold.release()
    latestHandlers.current.onHoldEnd()
  }, [hold])
  useEffect(() => {
    if (disabled) release()
  }, [disabled, release])
  return (
    <Button
      variant="icon"
      aria-label={label}
      disabled={disabled}
      onClick={(event) => {
        // A held button has already stepped; its click event is only the release.
        if (!hold.wasHold() || event.detail === 0) onStep()
      }}
      onPointerDown={hold.press}
      onPointerUp={release}
      onPointerLeave={release}
      onPointerCancel={release}
      onContextMenu={(event) => event.preventDefault()}
    >
      <Icon name={icon} />
    </Button>
  )
}

function useHold(repeat: () => void) {
  const hold = useRef<ReturnType<typeof createHold>>(null)
  hold.current ??= createHold(repeat)
  const { current } = hold
  useEffect(() => current.release, [current])
  return current
}

/**
 * Repeats a function while a button is held. `wasHold` returns whether the last press was held long enough to repeat.
 */
export function createHold(repeat: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let held = false
  const repeatAndWait = () => {
    held = true
    repeat()
    timer = setTimeout(repeatAndWait, repeatMs)
  }
  return {
    press() {
      held = false
      clearTimeout(timer)
      timer = setTimeout(repeatAndWait, holdMs)
    },
    release: () => clearTimeout(timer),
    wasHold: () => held,
  }
}
