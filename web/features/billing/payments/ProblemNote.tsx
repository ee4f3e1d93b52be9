import type { Problem } from './use-payment-steps.ts'
import styles from './problem-note.module.css'

/** What went wrong, beneath the fields. */
export function ProblemNote({ problem }: { problem: Problem | null }) {
  return (
    problem && (
      <p className={styles.problem} role="alert" ref={showWhole}>
        {problem.message}
      </p>
    )
  )
}

/** The submit bar would lie over it in a low window. */
const showWhole = (problem: HTMLElement | null) => problem?.scrollIntoView({ block: 'nearest' })
