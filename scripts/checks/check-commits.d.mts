export function findFault(subject: string): string | undefined
export function checkCommits(cwd?: string): number
