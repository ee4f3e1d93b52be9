import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/**
 * Mounts a component beside the current screen, with a React root of its own.
 * @param render receives a function that unmounts the component
 * @param group a class name; components of the same group are stacked in one element
 */
export function mountRoot(
  queryClient: QueryClient,
  render: (close: () => void) => ReactNode,
  group?: string,
): void {
  const container = document.createElement('div')
  // Mounted inside the shell, to inherit its accent colour.
  const shell = document.querySelector('#app > *') ?? document.body
  parentOf(shell, group).append(container)
  const root = createRoot(container)
  const close = () => {
    root.unmount()
    container.remove()
  }
  root.render(<QueryClientProvider client={queryClient}>{render(close)}</QueryClientProvider>)
}

function parentOf(shell: Element, group: string | undefined): Element {
  if (group === undefined) return shell
  const existing = shell.querySelector(`:scope > .${CSS.escape(group)}`)
  if (existing) return existing
  const created = document.createElement('div')
  created.className = group
  shell.append(created)
  return created
}
