import type { Problem } from './use-payment-steps.ts'
import styles from './problem-note.module.css'

/** An error message below the fields. */
export function ProblemNote({ problem }: { problem: Problem | null }) {
  return (
    problem && (
      <p className={styles.problem} role="alert" ref={scrollIntoView}>
        {problem.message}
      </p>
    )
  )
}

/**
 * Scrolls the message into view, because in a low window the submit bar would cover it. Returns nothing, because React
 * would take the promise of newer browsers for a function that cleans up.
 */
const scrollIntoView = (problem: HTMLElement | null) => void problem?.scrollIntoView({ block: 'nearest' })
