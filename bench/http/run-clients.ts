/**
 * Runs clients that each repeat `work`, one call after the other, until `isOver` returns true.
 * @returns the number of calls
 */
export async function runClients(
  clients: number,
  isOver: () => boolean,
  work: (turn: number) => Promise<unknown>,
): Promise<number> {
  let turn = 0
  const client = async () => {
    while (!isOver()) await work(turn++)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return turn
}
