import { lazy, Suspense, useRef, type ReactNode } from 'react'
import { whenIdle } from '#web/lib/when-idle.ts'
import type { RowButtons as RowButtonsType } from './RowButtons.tsx'
import styles from './section.module.css'

// Loaded when idle and only for a mouse: touch needs no buttons, and the row also scrolls without them.
const RowButtons = lazy(async () => {
  await new Promise<void>((resolve) => whenIdle(resolve))
  if (!matchMedia('(hover: hover) and (pointer: fine)').matches) return { default: Nothing }
  return import('./RowButtons.tsx').then(
    ({ RowButtons }) => ({ default: RowButtons }),
    () => ({ default: Nothing }),
  )
})

const Nothing: typeof RowButtonsType = () => <></>

/** A list that scrolls horizontally by swipe, wheel or buttons. */
export function HorizontalScroller({
  title,
  className,
  tabIndex,
  children,
}: {
  title: string
  className: string | undefined
  tabIndex?: 0
  children: ReactNode
}) {
  const row = useRef<HTMLUListElement>(null)
  return (
    <div className={styles.sideways}>
      <Suspense>
        <RowButtons row={row} title={title} />
      </Suspense>
      <ul className={className} ref={row} tabIndex={tabIndex} aria-label={tabIndex === 0 ? title : undefined}>
        {children}
      </ul>
    </div>
  )
}
