import { readText, readUrl, type Env } from './read-env.ts'

const http = ['http:', 'https:']

/**
 * Reads the settings of the trace export from OpenTelemetry's variables, which its library also reads. Returns
 * undefined if no traces are sent.
 * @throws ConfigError naming the invalid variable
 */
export function readTracing(env: Env): { headers: string | undefined } | undefined {
  const endpoint =
    readUrl(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', http) ??
    readUrl(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', http)
  const exporter = readText(env, 'OTEL_TRACES_EXPORTER')
  const isDisabled = readText(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true'
  const headers = readText(env, 'OTEL_EXPORTER_OTLP_HEADERS')
  const isWanted = exporter === undefined ? endpoint !== undefined : exporter !== 'none'
  return isWanted && !isDisabled ? { headers } : undefined
}
