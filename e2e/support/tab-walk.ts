import type { Page } from '@playwright/test'

/** A tab stop of a page. */
export interface TabStop {
  /** Accessible name: the text, label or ARIA label, with the name of the group. */
  name: string
  /** Name of the element, such as `button`. */
  kind: string
  reached: boolean
  /** True if the element or its visible representation has a focus ring while it has the focus. */
  hasRing: boolean
  /** True if the element is inside the window and not covered while it has the focus. */
  isSeen: boolean
  /** Position in the document in pixels. */
  position: { left: number; right: number; top: number; bottom: number }
}

/** The recorder that runs in the page. */
interface TabWalk {
  hasCycled: () => boolean
  end: () => TabStop[]
}

/**
 * Presses Tab until the focus returns to the start, in the page or in the open sheet.
 * @returns the tab stops in order, then the controls that were not reached
 */
export async function walkByTab(page: Page, maxPresses = 500): Promise<TabStop[]> {
  await page.evaluate(installTabWalk)
  for (let pressed = 1; pressed <= maxPresses; pressed++) {
    await page.keyboard.press('Tab')
    if (pressed % 10 > 0) continue
    if (await page.evaluate(() => (window as unknown as { walk: TabWalk }).walk.hasCycled()))
      return page.evaluate(() => (window as unknown as { walk: TabWalk }).walk.end())
  }
  throw new Error(
    `The focus has not cycled through ${page.url()} after ${maxPresses} presses of Tab: an element traps it`,
  )
}

/** Runs in the page: records from now on which elements get the focus. Frames are left out. */
function installTabWalk(): void {
  const controls = 'a[href], button, input, select, textarea, summary, video[controls], [tabindex]'
  const wordsOf = (element: Element): string => {
    const copy = element.cloneNode(true) as Element
    for (const silent of copy.querySelectorAll('[aria-hidden=true], select, textarea')) silent.remove()
    return copy.textContent ?? ''
  }
  const nameOf = (element: Element): string => {
    const label = element.getAttribute('aria-label')
    if (label) return label
    const isField = 'labels' in element && !(element instanceof HTMLButtonElement)
    const words = isField
      ? [...((element as HTMLInputElement).labels ?? [])].map(wordsOf).join(' ')
      : wordsOf(element)
    return words.trim() || (element.getAttribute('title') ?? '')
  }
  const groupOf = (element: Element): string =>
    element.closest('fieldset')?.querySelector('legend')?.textContent ?? ''
  const hasRing = (element: Element): boolean => {
    for (let at: Element | null = element, steps = 0; at && steps < 3; at = at.parentElement, steps++) {
      const { outlineStyle, outlineWidth } = getComputedStyle(at)
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2) return true
    }
    return false
  }
  const isSeen = (element: Element): boolean => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const middle = (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2
    const over = document.elementFromPoint((left + right) / 2, middle)
    return over !== null && (element.contains(over) || over.contains(element))
  }
  const isTabbable = (element: HTMLElement): boolean => {
    const isOtherRadio = element instanceof HTMLInputElement && element.type === 'radio' && !element.checked
    const isShown = element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]')
    return isShown && element.tabIndex >= 0 && !element.matches(':disabled') && !isOtherRadio
  }
  const stopOf = (element: Element, state: Pick<TabStop, 'reached' | 'hasRing' | 'isSeen'>): TabStop => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const name = `${groupOf(element)} ${nameOf(element)}`.replaceAll(/\s+/g, ' ').trim()
    const position = { left, right, top: top + scrollY, bottom: bottom + scrollY }
    return { name, kind: element.tagName.toLowerCase(), position, ...state }
  }
  const scope = document.querySelector('dialog:modal') ?? document
  const visited = new Map<Element, Pick<TabStop, 'reached' | 'hasRing' | 'isSeen'>>()
  let isCycleComplete = false
  const recordFocus = ({ target }: FocusEvent) => {
    if (!(target instanceof Element)) return
    isCycleComplete ||= target === visited.keys().next().value
    if (!visited.has(target))
      visited.set(target, { reached: true, hasRing: hasRing(target), isSeen: isSeen(target) })
  }
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  addEventListener('focusin', recordFocus)
  // A sheet may first focus its main control, so the walk begins at the sheet's first control.
  if (scope !== document) scope.querySelector<HTMLElement>(controls)?.focus()
  const walk: TabWalk = {
    hasCycled: () => isCycleComplete,
    end: () => {
      removeEventListener('focusin', recordFocus)
      // Makes sticky elements static, so that each has its own position in the document.
      for (const element of scope.querySelectorAll<HTMLElement>('*'))
        if (getComputedStyle(element).position === 'sticky') element.style.position = 'static'
      const missed = [...scope.querySelectorAll<HTMLElement>(controls)].filter(
        (element) => isTabbable(element) && !visited.has(element),
      )
      return [
        ...[...visited].map(([element, seen]) => stopOf(element, seen)),
        ...missed.map((element) => stopOf(element, { reached: false, hasRing: false, isSeen: false })),
      ]
    },
  }
  Object.assign(window, { walk })
}
