export function loadEnvFile(root: string, env?: Record<string, string | undefined>): void
