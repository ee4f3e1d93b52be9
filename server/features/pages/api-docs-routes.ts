import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { sendFile } from '#server/platform/http/sending/send-file.ts'

const viewerFolder = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
const viewerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js']

/** Content-Security-Policy of Swagger UI, which sets inline styles by script and calls only this site. */
const policy =
  "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; " +
  "script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'"

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>API · Cliffhanger</title>
    <link rel="icon" href="/favicon.svg" />
    <link rel="stylesheet" href="/api/docs/swagger-ui.css" />
  </head>
  <body>
    <main id="api"></main>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`

const start = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#api', deepLinking: true, docExpansion: 'none', filter: true })
`

/** Serves Swagger UI for the API reference, if the operator has enabled it. */
export function apiDocsRoutes(): PlainRoute[] {
  const get = (path: string, summary: string, type: string, handle: PlainRoute['handle']): PlainRoute => ({
    method: 'GET',
    path,
    description: { summary, answers: { 200: { words: 'The file', type } } },
    handle,
  })
  return [
    get('/api/docs', 'The API reference', 'text/html', (_request, reply) =>
      reply
        .type('text/html; charset=utf-8')
        .header('content-security-policy', policy)
        .header('cache-control', 'no-cache')
        .send(page),
    ),
    get('/api/docs/start.js', 'Script that starts the API reference', 'text/javascript', (_request, reply) =>
      reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(start),
    ),
    ...viewerFiles.map((name) =>
      get(
        `/api/docs/${name}`,
        'A file of the API reference',
        name.endsWith('.css') ? 'text/css' : 'text/javascript',
        (request, reply) => sendFile(request, reply, viewerFolder, name, { maxAge: '1h' }),
      ),
    ),
  ]
}
