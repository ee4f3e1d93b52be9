/** The parts of an edge runtime that the handler needs. `match` and `put` behave like those of a browser's Cache. */
export interface Edge {
  secrets: readonly string[]
  cache: {
    match(key: Request): Promise<Response | undefined>
    put(key: string, response: Response): Promise<void>
  }
  fetchOrigin(request: Request): Promise<Response>
  now?: () => number
  waitUntil?: (work: Promise<unknown>) => void
}

export function secondsLeft(
  secrets: readonly string[],
  signature: string,
  asset: string,
  nowMs: number,
): Promise<number | 'expired' | 'forged'>

export function answer(request: Request, edge: Edge): Promise<Response>
