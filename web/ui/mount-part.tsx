import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/**
 * Shows a part of its own beside the screen, which knows nothing of it.
 * @param render given what takes the part away again
 * @param group parts of one group stand below each other, in an element of this class
 */
export function mountPart(
  queryClient: QueryClient,
  render: (close: () => void) => ReactNode,
  group?: string,
): void {
  const place = document.createElement('div')
  // Inside the shell, for its accent.
  const shell = document.querySelector('#app > *') ?? document.body
  parentOf(shell, group).append(place)
  const root = createRoot(place)
  const close = () => {
    root.unmount()
    place.remove()
  }
  root.render(<QueryClientProvider client={queryClient}>{render(close)}</QueryClientProvider>)
}

function parentOf(shell: Element, group: string | undefined): Element {
  if (group === undefined) return shell
  const known = shell.querySelector(`:scope > .${CSS.escape(group)}`)
  if (known) return known
  const made = document.createElement('div')
  made.className = group
  shell.append(made)
  return made
}
