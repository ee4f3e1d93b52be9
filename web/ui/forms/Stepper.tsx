import { useCallback, useEffect, useRef, useState } from 'react'
import { Button } from '#web/ui/Button.tsx'
import { Icon } from '#web/ui/Icon.tsx'
import styles from './stepper.module.css'

/** A held button repeats every 200 ms (seed, section 9), after an initial delay that distinguishes a press from a hold. */
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
 * A whole number with a button for less and one for more. A typed number is applied on Enter or blur, arrow keys at once, and a
 * held button once it is released.
 */
export function Stepper({ label, fewer, more, value, min, max, onValue }: StepperProps) {
  const [held, setHeld] = useState<number | null>(null)
  const [chosen, setChosen] = useChosen(value)
  const number = held ?? chosen
  const within = (wanted: number) => Math.min(max, Math.max(min, wanted))
  const choose = (wanted: number) => {
    setChosen(within(wanted))
    onValue(within(wanted))
  }
  const rest = () => {
    setHeld(null)
    if (held !== null) choose(held)
  }
  const stepBy = (by: number) => ({
    disabled: within(number + by) === number,
    onStep: () => choose(number + by),
    onHold: () => setHeld(within(number + by)),
    onRest: rest,
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
 * Returns the number chosen last until `value` has caught up or changed otherwise, so that the next step does not start from an
 * outdated value.
 */
function useChosen(value: number) {
  const [way, setWay] = useState([value])
  const chosen = way.at(-1)
  const isThere = chosen === value && way.length > 1
  const isElsewhere = chosen !== value && !way.includes(value)
  if (isThere || isElsewhere) setWay([value])
  const setChosen = (wanted: number) => setWay((before) => [...before, wanted])
  return [isElsewhere ? value : (chosen ?? value), setChosen] as const
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
        // Escape closes a dialog around it, which blurs the field; the typed number is discarded.
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
  /** Called for each step of a hold. */
  onHold: () => void
  /** Called when a hold ends. */
  onRest: () => void
}

function StepButton({ label, icon, disabled, onStep, onHold, onRest }: StepButtonProps) {
  const newest = useRef({ onHold, onRest })
  useEffect(() => {
    newest.current = { onHold, onRest }
  })
  const hold = useHold(() => newest.current.onHold())
  const release = useCallback(() => {
    hold.release()
    newest.current.onRest()
  }, [hold])
  useEffect(() => {
    if (disabled) release()
  }, [disabled, release])
  return (
    <Button
      look="icon"
      aria-label={label}
      disabled={disabled}
      onClick={(event) => {
        // A hold has stepped already; its click is only the release.
        if (!hold.took() || event.detail === 0) onStep()
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

/** Repeats while a button is held. `took` returns whether the press that has just ended was a hold. */
export function createHold(repeat: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let held = false
  const again = () => {
    held = true
    repeat()
    timer = setTimeout(again, repeatMs)
  }
  return {
    press() {
      held = false
      clearTimeout(timer)
      timer = setTimeout(again, holdMs)
    },
    release: () => clearTimeout(timer),
    took: () => held,
  }
}
