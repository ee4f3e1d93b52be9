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

/** Scrolls the message into view, because in a low window the submit bar would cover it. */
const scrollIntoView = (problem: HTMLElement | null) => problem?.scrollIntoView({ block: 'nearest' })
