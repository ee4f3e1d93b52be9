import { useEffect, useRef } from 'react'
import { Button } from './Button.tsx'
import { Icon } from './Icon.tsx'
import styles from './stepper.module.css'

/** A button that is held repeats every 200 ms (seed, section 9), after a first wait that tells a press from a hold. */
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

/** A whole number with a button for less and one for more; the number can be typed, and the arrow keys work in it. */
export function Stepper({ label, fewer, more, value, min, max, onValue }: StepperProps) {
  const set = (wanted: number) => {
    if (Number.isInteger(wanted)) onValue(Math.min(max, Math.max(min, wanted)))
  }
  return (
    <div className={styles.stepper} role="group" aria-label={label}>
      <StepButton label={fewer} icon="minus" disabled={value <= min} onStep={() => set(value - 1)} />
      <input
        type="number"
        inputMode="numeric"
        aria-label={label}
        min={min}
        max={max}
        value={value}
        onChange={(event) => set(event.target.valueAsNumber)}
      />
      <StepButton label={more} icon="plus" disabled={value >= max} onStep={() => set(value + 1)} />
    </div>
  )
}

interface StepButtonProps {
  label: string
  icon: 'plus' | 'minus'
  disabled: boolean
  onStep: () => void
}

function StepButton({ label, icon, disabled, onStep }: StepButtonProps) {
  const step = useRef(onStep)
  useEffect(() => {
    step.current = onStep
  })
  const hold = useHold(() => step.current())
  useEffect(() => {
    if (disabled) hold.release()
  }, [disabled, hold])
  return (
    <Button
      look="icon"
      aria-label={label}
      disabled={disabled}
      onClick={(event) => {
        // A hold has stepped already; its click is the finger leaving.
        if (!hold.took() || event.detail === 0) onStep()
      }}
      onPointerDown={hold.press}
      onPointerUp={hold.release}
      onPointerLeave={hold.release}
      onPointerCancel={hold.release}
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

/** Repeats while a button is held. `took` says whether the press that has just ended was a hold. */
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
