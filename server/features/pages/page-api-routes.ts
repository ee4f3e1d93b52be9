import { getPage, sendMessage as sendMessageCall } from '#contract/pages.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import { route, type Route } from '#server/platform/http/route.ts'
import { loadPage, type PageContext } from '#server/features/pages/text-pages/load-page.ts'
import { sendMessage, type MessageContext } from './send-message.ts'

export function pageApiRoutes(context: PageContext & MessageContext): Route[] {
  const pages = createResponseCache(context.clock, { stale: true })
  return [
    route(getPage, (call) => {
      const { query, language } = call
      return pages.get(`${language} ${query.name}`, async () =>
        call.serialise({ info: await loadPage(context, query.name, language) }),
      )
    }),
    route(sendMessageCall, async (call) => {
      await sendMessage(context, call)
      return { info: { sent: true } }
    }),
  ]
}
