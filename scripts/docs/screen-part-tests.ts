import { opensEachRoute, pages, purchase, routes, subscribing, type ScreenRow } from './screen-tests.ts'

const manyEpisodes = 'e2e/playback/many-episodes.spec.ts'
const consent = 'e2e/pages/consent.spec.ts'
const reports = 'e2e/pages/error-reports.spec.ts'
const api = 'web/lib/api.test.ts'
const visit = 'web/lib/tracking/visit-parameters.test.ts'
const format = 'web/lib/format.test.ts'
const language = 'web/lib/language.test.ts'
const images = 'web/lib/lazy-images.test.ts'
const swipeCell = 'web/ui/SwipeCell.test.ts'
const stepper = 'web/ui/forms/Stepper.test.ts'
const submitBar = 'web/ui/forms/SubmitBar.test.tsx'
const listFoot = 'web/ui/ListFooter.test.tsx'
const share = 'web/features/media/share.test.ts'
const searches = 'web/features/catalog/search-history.test.ts'
const rules = 'web/app/reporting/sentry-options.test.ts'
const scrub = 'server/telemetry/scrub-report.test.ts'
const texts = 'web/i18n/load-texts.test.ts'
const tracking = 'server/features/tracking/tracking.test.ts'

/** The other requirements of the seed (the project's specification) for the browser, by section. */
export const screenParts: readonly { title: string; rows: readonly ScreenRow[] }[] = [
  {
    title: 'Frame, start-up and stored values (sections 2, 3, 4, 6)',
    rows: [
      {
        seed: 'History mode, mounted into `#app`',
        implementation: '`web/app/start.tsx`',
        tests: [opensEachRoute],
      },
      {
        seed: 'Header (logo, categories, language chooser, recommend, browse, user), footer with seven links',
        implementation: '`web/app/Header.tsx`, `Footer.tsx`',
        tests: [[routes, 'the header and the footer have the required links']],
      },
      {
        seed: 'Before each navigation `token`, `fbclid`, `ttclid` are stored',
        implementation: 'keys `referrer_token`, `fbclid`, `ttclid`; they are removed from the URL',
        tests: [
          [visit, 'stores token and click ids and removes them from the URL'],
          [
            routes,
            'the browser stores homepage, user, user id, referrer and click ids, and the next visit shows the stored homepage immediately',
          ],
          [
            'web/lib/tracking/consent.test.ts',
            'if consent mode is strict, keeps click ids in memory until the user agrees',
          ],
        ],
      },
      {
        seed: 'Start-up order: user, tracking config, homepage',
        implementation: '`web/main.tsx`, before the interface has loaded',
        tests: [
          [routes, 'a page requests the user, the tracking settings and the homepage in that order'],
          [api, 'prefetched calls are sent in order, each after the response to the previous call'],
        ],
      },
      {
        seed: 'Stored: homepage info (copyright with the favicon, homepage, menu, pay_theme), user info, and the id of the user',
        implementation: 'keys `homepage`, `user`, `user_id`; shown at once on the next visit',
        tests: [
          [
            routes,
            'the browser stores homepage, user, user id, referrer and click ids, and the next visit shows the stored homepage immediately',
          ],
        ],
      },
      {
        seed: 'The user token is stored from a header of the user call, and sent in a header if cookies are disabled',
        implementation: 'key `user_token`, only if cookies are disabled',
        tests: [[api, 'the user token is stored and sent only if cookies are disabled']],
      },
      {
        seed: 'Referrer token and click ids are sent with every request; the click ids also in params or body',
        implementation: '`web/lib/api.ts`',
        tests: [
          [api, 'the ad click ids are sent in headers, and in the query of a GET or the body of other calls'],
        ],
      },
      {
        seed: 'The search history is stored',
        implementation: 'key `search_history`, twelve, removable',
        tests: [
          [searches, 'puts the latest search first and removes an earlier one that differs only in case'],
          [searches, 'removes one search, or all searches'],
        ],
      },
      {
        seed: 'Subscription: cancel at any time, pay now',
        implementation: 'one click in the member area',
        tests: [
          subscribing,
          [purchase, 'a subscriber cancels with one click, sees the end date, and resumes'],
        ],
      },
      {
        seed: 'Lists show "loading", "load more" or "no more content"',
        implementation: '`web/ui/ListFooter.tsx`, also after a failed request',
        tests: [
          [
            listFoot,
            'offers the next page, shows that it is loading, and marks the end of a list of several pages',
          ],
          [listFoot, 'shows that loading failed, with a retry button'],
        ],
      },
      {
        seed: 'Videos are shared',
        implementation: "the system's share sheet, or a link with the sharer's code",
        tests: [[share, "contains the sharer's code as the referrer token"]],
      },
    ],
  },
  {
    title: 'Prompts and errors (sections 5 and 8)',
    rows: [
      {
        seed: 'Prompts: enter your e-mail, enter your password, repeat your password',
        implementation: '"Enter your e-mail, …", "Enter your password.", "Repeat your password."',
        tests: [[routes, 'the empty registration and sign-in forms show errors at their required fields']],
      },
      {
        seed: 'Code 200: info, or data',
        implementation: '`call()`',
        tests: [[api, 'code 200 returns info, or data if there is no info']],
      },
      {
        seed: 'Code 500: a toast and a rejection',
        implementation: '`ApiError`',
        tests: [[api, 'code 500 shows a toast and rejects']],
      },
      {
        seed: 'Any other code: a rejection and no toast',
        implementation: '`ApiError`',
        tests: [[api, 'any code but 200 and 500 rejects without a toast']],
      },
      {
        seed: 'HTTP failure: a toast, and an event named from URL and status',
        implementation: '`http_error` + path + status',
        tests: [[api, 'an HTTP failure shows a toast and sends an event with path and status']],
      },
      {
        seed: "Copy: 'Copy Success'",
        implementation: 'the same',
        tests: [[share, "shows 'Copy Success'"]],
      },
      {
        seed: "Copy: 'Copy fail'",
        implementation: 'the same',
        tests: [[share, "shows 'Copy fail' if the browser refuses"]],
      },
      {
        seed: "Copy: 'Unable to copy text:' on an exception",
        implementation: 'the same, followed by the text',
        tests: [[share, "shows 'Unable to copy text:' and the text if copying fails for any other reason"]],
      },
      {
        seed: "A bad date: 'Invalid Date'",
        implementation: '`formatLongDate`',
        tests: [[format, "returns 'Invalid Date' for %j"]],
      },
      {
        seed: 'Five kinds of errors are not reported',
        implementation: '`web/app/reporting/sentry-options.ts`',
        tests: [
          [rules, 'does not report the error: %s'],
          [reports, 'errors are reported without queries and secrets, and ignored errors are not reported'],
        ],
      },
    ],
  },
  {
    title: 'Constants (section 9)',
    rows: [
      {
        seed: 'Request timeout 100000 ms',
        implementation: '`requestTimeout`',
        tests: [[api, 'a call times out after 100000 ms']],
      },
      {
        seed: 'Images: 3 attempts',
        implementation: '`web/ui/LazyImage.tsx`',
        tests: [[routes, 'an image is requested three times']],
      },
      {
        seed: 'Images: preload factor 1.3',
        implementation: 'a margin of 30 %',
        tests: [[images, 'reports an element once, when it is at most 30 % of the viewport height away']],
      },
      {
        seed: 'Images: throttle 200 ms',
        implementation: '`throttled`',
        tests: [[images, 'runs at once, then at most once per 200 ms']],
      },
      {
        seed: 'Images: cache of 200',
        implementation: '`createLoadedImageCache`',
        tests: [[images, 'holds 200 images and drops the least recently used']],
      },
      {
        seed: 'Submit bar: takes cents, shows 2 decimals',
        implementation: '`web/ui/forms/SubmitBar.tsx`',
        tests: [
          [submitBar, 'takes cents and shows the price with two decimals in its button'],
          [format, 'formats cents with two decimals in %s'],
        ],
      },
      {
        seed: 'Swipe cell: opens and closes at 15 percent',
        implementation: '`web/ui/SwipeCell.tsx`; focus opens it too',
        tests: [
          [
            swipeCell,
            'opens if the swipe moves at least 15 percent of the width of its action, else stays closed',
          ],
          [
            swipeCell,
            'closes if the swipe back moves at least 15 percent of the width of its action, else stays open',
          ],
        ],
      },
      {
        seed: 'Stepper: a long press repeats every 200 ms',
        implementation: '`web/ui/forms/Stepper.tsx`; arrow keys too',
        tests: [
          [stepper, 'repeats every 200 ms while it is held'],
          [
            manyEpisodes,
            'the episode number can be typed, or changed by pressing or holding a button, and the list stays open until an episode is chosen',
          ],
        ],
      },
      {
        seed: 'Tracking keys: facebook_pixel_id, google_analytics, tiktok_pixel, bigo_pixel',
        implementation: 'loaded only after consent',
        tests: [
          [tracking, 'returns the four pixel ids from the environment, or empty values'],
          [
            consent,
            'after the viewer accepts, the site sends events to all four platforms, with the amount and the id of the order',
          ],
          [
            consent,
            'after the viewer declines, the site sends no events to third parties and does not ask again',
          ],
        ],
      },
      {
        seed: 'Dates in en-US long form',
        implementation: '`formatLongDate`',
        tests: [[format, 'formats dates in the en-US long form in every language']],
      },
      {
        seed: 'Languages en (default and fallback), es, fy, dy, pt',
        implementation: '`web/lib/language.ts`, `web/i18n/`',
        tests: [
          [
            language,
            "the language is the browser's first supported language, or English if none is supported",
          ],
          [texts, '$language, part $part, has the same text keys as English'],
          [pages, 'a page switches language with the interface'],
        ],
      },
      {
        seed: 'Error reporting: sandbox or production by the host',
        implementation: '`environmentOf`',
        tests: [
          [
            scrub,
            'reports the environment `sandbox` for a host that contains the configured text, and `production` for other hosts',
          ],
        ],
      },
      {
        seed: 'Error reporting: traces 0.3, replays 0.1, replays on error 0.1',
        implementation: '`sampleRates`; a profile with each trace',
        tests: [
          [rules, 'samples 30 % of the traces, and 10 % of the replays with and without an error'],
          [reports, 'errors are reported without queries and secrets, and ignored errors are not reported'],
          [
            reports,
            'no replay is recorded on sign-in and payment pages, and replays of other pages mask all text',
          ],
          [
            scrub,
            'removes queries, fragments and media signatures at any depth, and leaves sentences unchanged',
          ],
          [reports, 'error reporting loads after the page is loaded and idle, and not at all without a DSN'],
        ],
      },
      {
        seed: 'Error reporting: feedback (section 7)',
        implementation: '"Report a problem", in the footer and on the error screen',
        tests: [
          [reports, 'a problem report keeps its input after errors and is sent once'],
          [reports, 'a broken screen shows an error, reports it, and asks what happened'],
        ],
      },
    ],
  },
]
