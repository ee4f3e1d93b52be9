export function readArguments(
  script: {
    name: string
    about: string
    options?: Record<string, { type: 'string' | 'boolean'; about: string }>
    positionals?: string
  },
  given?: string[],
): { values: Record<string, string | boolean | undefined>; positionals: string[] }
