import { subscribe } from 'node:diagnostics_channel'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { trace } from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { scrubText } from '#contract/error-reports.ts'

/**
 * What holds where the environment is silent. Prometheus and the log have the rest, and visitors may neither continue our traces nor
 * pass baggage on to gateways.
 */
const defaults = {
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
  OTEL_PROPAGATORS: 'none',
  OTEL_NODE_RESOURCE_DETECTORS: 'env,host,serviceinstance',
}

/** Asked by machines every few seconds. */
const unwatched = /^\/(api\/health|api\/ready|metrics)$/

/**
 * Traces requests, database queries and outgoing calls from now on, as `OTEL_*` say. The site's modules are imported after it.
 * @param headers for the collector, where a file holds them
 * @returns ends it, after what is left has been sent
 */
export function startTracing({ headers }: { headers: string | undefined }): () => Promise<void> {
  if (headers !== undefined) process.env['OTEL_EXPORTER_OTLP_HEADERS'] = headers
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value
  if (!process.env['OTEL_RESOURCE_ATTRIBUTES']?.includes('service.name='))
    process.env['OTEL_SERVICE_NAME'] ??= 'cliffhanger'
  const sdk = new NodeSDK({ instrumentations: createInstrumentations() })
  sdk.start()
  patchModules()
  nameByRoute()
  return () => sdk.shutdown()
}

function createInstrumentations() {
  return [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: ({ url = '' }) => unwatched.test(pathOf(url)),
      startIncomingSpanHook: ({ url = '' }) => ({ 'url.path': pathOf(url), ...nobody }),
      startOutgoingSpanHook: ({ protocol, hostname, host, port, path }) => ({
        'url.full': `${protocol ?? 'http:'}//${hostname ?? host}${port ? `:${port}` : ''}${pathOf(path ?? '/')}`,
      }),
    }),
    new UndiciInstrumentation({
      startSpanHook: ({ origin, path }) => ({
        'url.full': `${origin}${pathOf(path)}`,
        'url.path': pathOf(path),
        'url.query': undefined,
      }),
    }),
    // The library leaves the values of statements out. Polling for work has no request above it, and no span.
    new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
  ]
}

/** The path of an address, without the query and the pass to media. */
const pathOf = (url: string) => scrubText(url.split(/[?#]/)[0] ?? '')

/** What tells who a visitor is has no place in a trace (tracking.md). */
const nobody = {
  'url.query': undefined,
  'client.address': undefined,
  'network.peer.address': undefined,
  'network.peer.port': undefined,
  'user_agent.original': undefined,
}

/**
 * Loads by `require` what is to be patched: an `import` would only be seen by a loader hook, and what is patched here is the
 * same object for those who import it later.
 */
function patchModules(): void {
  const load = createRequire(import.meta.url)
  for (const name of ['http', 'https', 'pg']) load(name)
  syncBuiltinESMExports()
}

interface HandledRequest {
  route?: { method: string; url: string }
}

/** Names the span of a request by its route, such as `GET /api/video`. */
function nameByRoute(): void {
  subscribe('tracing:fastify.request.handler:start', (message) => {
    // What Fastify publishes there has no type.
    const { route } = message as HandledRequest
    const span = trace.getActiveSpan()
    if (!route || !span) return
    span.updateName(`${route.method} ${route.url}`)
    span.setAttribute('http.route', route.url)
  })
}
