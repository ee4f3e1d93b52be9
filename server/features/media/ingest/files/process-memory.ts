import { readFileSync } from 'node:fs'

/**
 * Returns the memory of a process and its descendants in bytes, including swapped-out memory. Returns 0 if the process
 * has ended, and on systems without Linux's /proc.
 */
export function processMemory(pid: number): number {
  const children = read(`/proc/${pid}/task/${pid}/children`).match(/\d+/g) ?? []
  return (
    parseMemory(read(`/proc/${pid}/status`)) +
    children.reduce((sum, child) => sum + processMemory(Number(child)), 0)
  )
}

/** Parses the bytes in memory and the swapped-out bytes from a process's Linux status. */
function parseMemory(status: string): number {
  const figures = [...status.matchAll(/^Vm(?:RSS|Swap):\s+(\d+) kB$/gm)]
  return figures.reduce((sum, [, kilobytes]) => sum + 1024 * Number(kilobytes), 0)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
