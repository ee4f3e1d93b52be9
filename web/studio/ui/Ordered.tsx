import { useEffect, useRef, useState, type Key, type ReactNode } from 'react'
import { useTexts } from '#web/studio/texts.ts'
import styles from './ordered.module.css'

/** Things in an order that is changed by dragging, or by buttons for whoever has no mouse. */
export function Ordered<Item>({
  items,
  keyOf,
  nameOf,
  onOrder,
  children,
}: {
  items: readonly Item[]
  keyOf: (item: Item) => Key
  nameOf: (item: Item) => string
  onOrder: (items: Item[]) => void
  children: (item: Item) => ReactNode
}) {
  const { t } = useTexts()
  const [dragged, setDragged] = useState<Item | null>(null)
  const [moved, setMoved] = useState('')
  const list = useRef<HTMLOListElement>(null)
  const stepped = useRef<{ place: number; by: -1 | 1 } | null>(null)
  const before = useRef(items)
  // An item that moves in the document loses the focus, and at an end of the list its button; one that goes takes it along.
  useEffect(() => {
    const { place = 0, by = 1 } = stepped.current ?? {}
    const left = before.current.findIndex((item, index) => item !== items[index])
    const isShorter = items.length < before.current.length
    if (stepped.current && isFocusLost()) focusStep(list.current?.children[place], by)
    else if (isShorter && isFocusLost()) focusNear(list.current, left)
    stepped.current = null
    before.current = items
  }, [items])
  const move = (item: Item, to: number) => {
    const others = items.filter((each) => each !== item)
    onOrder([...others.slice(0, to), item, ...others.slice(to)])
    setMoved(t('desk.moved', { name: nameOf(item), place: to + 1 }))
  }
  const step = (item: Item, from: number, by: -1 | 1) => {
    stepped.current = { place: from + by, by }
    move(item, from + by)
  }
  return (
    <>
      <ol ref={list} className={styles.ordered} tabIndex={-1}>
        {items.map((item, index) => (
          <li
            key={keyOf(item)}
            className={item === dragged ? styles.dragged : undefined}
            onDragOver={(event) => dragged !== null && event.preventDefault()}
            onDrop={(event) => {
              event.preventDefault()
              if (dragged !== null) move(dragged, index)
              setDragged(null)
            }}
          >
            <div className={styles.handle}>
              <span
                draggable
                aria-hidden
                onDragStart={() => setDragged(item)}
                onDragEnd={() => setDragged(null)}
                title={t('desk.drag')}
              >
                ⠿
              </span>
              <button type="button" disabled={index === 0} data-step onClick={() => step(item, index, -1)}>
                <span aria-hidden>↑</span>
                <span className="hidden-text">{t('desk.up', { name: nameOf(item) })}</span>
              </button>
              <button
                type="button"
                disabled={index === items.length - 1}
                data-step
                onClick={() => step(item, index, 1)}
              >
                <span aria-hidden>↓</span>
                <span className="hidden-text">{t('desk.down', { name: nameOf(item) })}</span>
              </button>
            </div>
            {children(item)}
          </li>
        ))}
      </ol>
      <p className="hidden-text" role="status">
        {moved}
      </p>
    </>
  )
}

/** Whether nothing has the focus, or a button that was just disabled and is about to lose it. */
export const isFocusLost = () => document.activeElement?.matches('body, :disabled') ?? true

/** Puts the focus on what stands where an item was, or on the list that is empty now. */
function focusNear(list: HTMLOListElement | null, place: number): void {
  const item = list?.children[Math.min(place, list.children.length - 1)]
  const button = item?.querySelector<HTMLButtonElement>('button:enabled')
  ;(button ?? list)?.focus()
}

/** Puts the focus on the button that moves an item on, or at an end of the list back. */
function focusStep(item: Element | undefined, by: -1 | 1): void {
  const [up, down] = item?.querySelectorAll<HTMLButtonElement>('button[data-step]') ?? []
  const [first, second] = by === 1 ? [down, up] : [up, down]
  ;(first?.disabled ? second : first)?.focus()
}
