import { Readable } from 'node:stream'
import { Refusal } from '#contract/errors.ts'
import { acceptedLanguage } from '#contract/languages.ts'
import { exportOrders } from '#contract/studio/orders.ts'
import { sendBounded } from '#server/platform/http/sending/send-bounded.ts'
import type { PlainRoute } from '#server/platform/http/route.ts'
import { compileSchema } from '#server/platform/http/request-validation.ts'
import { formatUtcDay } from '#server/platform/utc-days.ts'
import type { QueryOf } from '#contract/endpoint.ts'
import { exportPage } from './orders.ts'
import { runCommand, type Command } from './define-command.ts'
import { findOperator } from './operators/operator-sessions.ts'
import type { StudioContext } from './studio-context.ts'

interface ExportPage {
  csv: string
  next_cursor: string | null
}

/** Maximum duration of a download in milliseconds. */
const maxDurationMs = 3_600_000
const maxDownloadsPerOperator = 2

const validateQuery = compileSchema(exportOrders.query)

/**
 * Streams the order export as one CSV file. Pages are read as fast as the browser downloads, so only one page is in
 * memory.
 */
export function exportOrdersRoute(context: StudioContext, command: Command): PlainRoute {
  return {
    method: 'GET',
    path: '/api/studio/orders.csv',
    description: {
      summary: 'Export orders as one CSV file, with the same filters as the list. Operators only',
      query: exportOrders.query,
      answers: {
        200: { words: 'The file', type: 'text/csv' },
        400: { words: 'A filter is invalid' },
        403: { words: 'No operator is signed in, or the role is not allowed' },
      },
    },
    async handle(request, reply) {
      const operator = await findOperator(context, request)
      if (!operator) return reply.code(403).send()
      // Ignores `cursor`, because the file always begins with the first page.
      const { cursor: _cursor, ...query } = Object(request.query) as QueryOf<typeof exportOrders>
      if (validateQuery(query) !== undefined) return reply.code(400).send()
      const { role } = operator
      const language = acceptedLanguage(request.headers['accept-language']) ?? 'en'
      const actor = { role, operator, language, ip: request.ip }
      const loadPage = async (cursor: string) => {
        // Checks access again for each page. During the download, the operator may have been removed or got another
        // role.
        const currentOperator = await findOperator(context, request)
        if (currentOperator?.role !== role) throw new Refusal('notAllowed')
        return exportPage(context, query, cursor, actor)
      }
      let releaseSlot = () => {}
      try {
        releaseSlot = context.concurrencySlots.take([[`files of ${operator.email}`, maxDownloadsPerOperator]])
        // The command writes the audit-log entry of the export and returns the first page, so its result is an
        // ExportPage.
        const first = ((await runCommand(command, context, actor, query)) as { info: ExportPage }).info
        const name = `orders-${formatUtcDay(context.clock.now())}.csv`
        reply
          .type('text/csv; charset=utf-8')
          .header('content-disposition', `attachment; filename="${name}"`)
          .header('cache-control', 'no-store')
        return sendBounded(reply, Readable.from(streamPages(first, loadPage)), {
          maxDurationMs,
          onDone: releaseSlot,
        })
      } catch (error) {
        releaseSlot()
        if (error instanceof Refusal) return reply.code(error.reason === 'notAllowed' ? 403 : 400).send()
        throw error
      }
    },
  }
}

async function* streamPages(
  first: ExportPage,
  read: (cursor: string) => Promise<ExportPage>,
): AsyncGenerator<string> {
  for (let page = first; ;) {
    if (page.csv !== '') yield page.csv
    if (page.next_cursor === null) return
    page = await read(page.next_cursor)
  }
}
