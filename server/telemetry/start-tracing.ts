import { subscribe } from 'node:diagnostics_channel'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http'
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { trace } from '@opentelemetry/api'
import { NodeSDK } from '@opentelemetry/sdk-node'
import { scrubText } from '#contract/error-reports.ts'

/**
 * Defaults for unset variables. OpenTelemetry exports neither metrics nor logs, because Prometheus and the log cover
 * them. Without propagators, visitors can neither continue the site's traces nor pass baggage on to gateways.
 */
const defaults = {
  OTEL_METRICS_EXPORTER: 'none',
  OTEL_LOGS_EXPORTER: 'none',
  OTEL_PROPAGATORS: 'none',
  OTEL_NODE_RESOURCE_DETECTORS: 'env,host,serviceinstance',
}

/** Probes and scrapes, which machines request every few seconds. */
const untracedPaths = /^\/(api\/health|api\/ready|metrics)$/

/**
 * Starts tracing requests, database queries and outgoing calls, as configured by `OTEL_*`. Call it before the site's
 * modules are imported.
 * @param headers for the collector, if they are in a file
 * @returns a function that sends the remaining traces and stops tracing
 */
export function startTracing({ headers }: { headers: string | undefined }): () => Promise<void> {
  if (headers !== undefined) process.env['OTEL_EXPORTER_OTLP_HEADERS'] = headers
  for (const [name, value] of Object.entries(defaults)) process.env[name] ??= value
  if (!process.env['OTEL_RESOURCE_ATTRIBUTES']?.includes('service.name='))
    process.env['OTEL_SERVICE_NAME'] ??= 'cliffhanger'
  const sdk = new NodeSDK({ instrumentations: createInstrumentations() })
  sdk.start()
  patchModules()
  nameSpansByRoute()
  return () => sdk.shutdown()
}

function createInstrumentations() {
  return [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: ({ url = '' }) => untracedPaths.test(pathOf(url)),
      startIncomingSpanHook: ({ url = '' }) => ({ 'url.path': pathOf(url), ...visitorAttributes }),
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
    // The library omits the values of statements. The queries of polling jobs have no parent request, so they get no
    // span.
    new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
  ]
}

/** Returns the path of a URL, without the query and the media signature. */
const pathOf = (url: string) => scrubText(url.split(/[?#]/)[0] ?? '')

/** Attributes that identify a visitor, which are removed from traces. */
const visitorAttributes = {
  'url.query': undefined,
  'client.address': undefined,
  'network.peer.address': undefined,
  'network.peer.port': undefined,
  'user_agent.original': undefined,
}

/**
 * Uses `require` to load the modules that are patched, because patching an `import` would need a loader hook. Later
 * imports get the same patched objects.
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
function nameSpansByRoute(): void {
  subscribe('tracing:fastify.request.handler:start', (message) => {
    // Fastify's diagnostics message is untyped.
    const { route } = message as HandledRequest
    const span = trace.getActiveSpan()
    if (!route || !span) return
    span.updateName(`${route.method} ${route.url}`)
    span.setAttribute('http.route', route.url)
  })
}
