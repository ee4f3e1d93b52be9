import { useLayoutEffect, useRef, useState, type Key, type KeyboardEvent, type ReactNode } from 'react'
import { useTexts } from '#web/studio/texts.ts'
import styles from './sortable-list.module.css'
import { useDrag } from './use-drag.ts'

/** A list whose items are moved by dragging or by buttons. */
export function SortableList<Item>({
  items,
  keyOf,
  nameOf,
  onOrder,
  slim = false,
  dense = false,
  children,
}: {
  items: readonly Item[]
  keyOf: (item: Item) => Key
  nameOf: (item: Item) => string
  onOrder: (items: Item[]) => void
  /** Shows each item in one line, together with its move buttons. */
  slim?: boolean
  /** Omits the space between items, for long lists. */
  dense?: boolean
  children: (item: Item) => ReactNode
}) {
  const { t } = useTexts()
  const [announcement, setAnnouncement] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const lastStep = useRef<{ place: number; by: -1 | 1 } | null>(null)
  const before = useRef(items)
  const last = items.length - 1
  // Restores the focus, which is lost when an item is moved or removed, and when its button is disabled at an end of
  // the list. It must be a layout effect: a passive effect of the previous render could run after a button press and
  // clear `lastStep` before the list has rendered again.
  useLayoutEffect(() => {
    const { place = 0, by = 1 } = lastStep.current ?? {}
    const left = before.current.findIndex((item, index) => item !== items[index])
    const isShorter = items.length < before.current.length
    if (lastStep.current && isFocusLost()) focusStepButton(list.current?.children[place], by)
    else if (isShorter && isFocusLost()) focusNeighbour(list.current, left)
    lastStep.current = null
    before.current = items
  }, [items])
  const move = (from: number, to: number) => {
    const item = items[from]
    if (item === undefined) return
    onOrder(items.toSpliced(from, 1).toSpliced(to, 0, item))
    setAnnouncement(t('shell.moved', { name: nameOf(item), place: to + 1, count: items.length }))
  }
  const moveAndFocus = (from: number, to: number) => {
    lastStep.current = { place: to, by: to < from ? -1 : 1 }
    move(from, to)
  }
  const { drag, startDrag } = useDrag(list, ({ from, to }) => move(from, to))
  const moveToEnd = (event: KeyboardEvent, from: number) => {
    if (event.key !== 'Home' && event.key !== 'End') return
    event.preventDefault()
    const to = event.key === 'Home' ? 0 : last
    if (to !== from) moveAndFocus(from, to)
  }
  return (
    <>
      <ol
        ref={list}
        className={styles.ordered}
        data-slim={slim}
        data-dense={dense}
        data-dragging={drag !== null}
        tabIndex={-1}
      >
        {items.map((item, index) => (
          <li
            key={keyOf(item)}
            data-dragged={drag?.from === index}
            data-drop={drag && drag.to === index ? dropSide(drag) : undefined}
          >
            <div className={styles.handle} onKeyDown={(event) => moveToEnd(event, index)}>
              <span aria-hidden onPointerDown={(event) => startDrag(event, index)} title={t('shell.drag')}>
                ⠿
              </span>
              <button
                type="button"
                disabled={index === 0}
                data-step
                title={t('shell.homeAndEndKeys')}
                onClick={() => moveAndFocus(index, index - 1)}
              >
                <span aria-hidden>↑</span>
                <span className="hidden-text">{t('shell.moveUp', { name: nameOf(item) })}</span>
              </button>
              <button
                type="button"
                disabled={index === last}
                data-step
                title={t('shell.homeAndEndKeys')}
                onClick={() => moveAndFocus(index, index + 1)}
              >
                <span aria-hidden>↓</span>
                <span className="hidden-text">{t('shell.moveDown', { name: nameOf(item) })}</span>
              </button>
            </div>
            {children(item)}
          </li>
        ))}
      </ol>
      <p className="hidden-text" role="status">
        {announcement}
      </p>
    </>
  )
}

/** Returns on which side of the target item the dragged item would be inserted; undefined at its original position. */
function dropSide({ from, to }: { from: number; to: number }): 'before' | 'after' | undefined {
  if (to === from) return undefined
  return to < from ? 'before' : 'after'
}

/** Returns whether no element has the focus, or only a button that was just disabled. */
const isFocusLost = () => document.activeElement?.matches('body, :disabled') ?? true

/** Focuses the item that is now at the position of a removed one; if the list is empty, the list. */
function focusNeighbour(list: HTMLOListElement | null, place: number): void {
  const item = list?.children[Math.min(place, list.children.length - 1)]
  const button = item?.querySelector<HTMLButtonElement>('button:enabled')
  ;(button ?? list)?.focus()
}

/**
 * Focuses the button that moves an item further in the same direction or, at an end of the list, the opposite button.
 */
function focusStepButton(item: Element | undefined, by: -1 | 1): void {
  const [up, down] = item?.querySelectorAll<HTMLButtonElement>('button[data-step]') ?? []
  const [first, second] = by === 1 ? [down, up] : [up, down]
  ;(first?.disabled ? second : first)?.focus()
}
