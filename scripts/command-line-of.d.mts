export function commandLineOf(script: string, args?: string): string
