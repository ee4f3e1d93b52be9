/** Reference to a test by its file and its title. A value inside a template literal is written as "…". */
export type TestReference = readonly [file: string, name: string]

/** Facts about an endpoint that the contract does not contain: who may call it, and which tests verify it. */
export interface CallDocumentation {
  callers: string
  tests: readonly TestReference[]
}

const catalog = 'server/features/catalog/catalog.test.ts'
const listings = 'server/features/catalog/listing/listings.test.ts'
const search = 'server/features/catalog/search/search.test.ts'
const members = 'server/features/members/members.test.ts'
const account = 'server/features/members/account/account.test.ts'
const timing = 'server/features/members/account/timing.test.ts'
const signIn = 'server/features/members/account/sign-in.test.ts'
const membersRaces = 'server/features/members/races.test.ts'
const secondFactor = 'server/features/members/credentials/second-factor/second-factor.test.ts'
const library = 'server/features/library/library.test.ts'
const libraryRaces = 'server/features/library/library-races.test.ts'
const unlocked = 'server/features/library/unlocked.test.ts'
const favorites = 'server/features/library/favorites.test.ts'
const delivery = 'server/features/media/delivery.test.ts'
const receipts = 'server/features/billing/mails/receipts.test.ts'
const billing = 'server/features/billing/billing.test.ts'
const createOrder = 'server/features/billing/checkout/create-order.test.ts'
const billingRaces = 'server/features/billing/payments/races.test.ts'
const cancel = 'server/features/billing/subscriptions/cancel.test.ts'
const cardFailures = 'server/features/billing/payment-methods/card-failures.test.ts'
const paypal = 'server/features/billing/checkout/paypal-return-routes.test.ts'
const tracking = 'server/features/tracking/tracking.test.ts'
const http = 'server/platform/http/server.test.ts'
const malformed = 'server/platform/http/malformed-requests.test.ts'
const limits = 'server/platform/http/limits/rate-limit.test.ts'
const databaseOutage = 'server/platform/http/database-outage.test.ts'
const fuzz = 'server/platform/http/fuzz.test.ts'
const api = 'web/lib/api.test.ts'
const visit = 'web/lib/tracking/visit-parameters.test.ts'

const everybody = 'everybody'
const viewer = 'guests and members (a token is required)'

/** The 24 API calls of the seed (the project's specification, section 7), in the order of the seed. */
export const seedCalls: Record<string, CallDocumentation> = {
  'GET /api/user': {
    callers: everybody,
    tests: [
      [members, 'gets an id from GET /api/user, keeps it from call to call, and needs no row'],
      [members, 'is a new guest if the token was altered'],
      [
        signIn,
        'is identified by its header token if cookies are disabled, but the cookie’s token is refused in the header, and the header token in the cookie',
      ],
    ],
  },
  'POST /api/user': {
    callers: `${viewer}; e-mail and password: a member, with the password`,
    tests: [
      [account, 'applies name, language and consent at once, for guests and members'],
      [account, 'requires a member, and the current password, to change e-mail or password'],
      [
        account,
        'ends every other session after a password change, and gives the current session a new token',
      ],
      [members, 'without a token is refused with the code 401'],
    ],
  },
  'POST /api/user/login': {
    callers: 'everybody not signed in to another account',
    tests: [
      [signIn, 'returns the account, whatever the case of the address, and a new session'],
      [
        timing,
        'sign-in does the same work for a wrong password, an unknown address and a member without a password',
      ],
      [
        secondFactor,
        'is set up with the password, and is required only after a code of the app has confirmed it',
      ],
      [membersRaces, 'two tabs that sign in at two processes concurrently merge the guest’s records once'],
    ],
  },
  'POST /api/user/logout': {
    callers: everybody,
    tests: [
      [signIn, 'ends the session permanently and gives a new guest'],
      [signIn, 'gives a new guest even without a session'],
    ],
  },
  'POST /api/user/register': {
    callers: 'everybody except members',
    tests: [
      [account, 'turns the guest into a member with the same id and profile'],
      [account, 'is refused for a signed-in member'],
      [account, 'is limited per network, and attempts with a taken e-mail count too'],
      [membersRaces, 'registering twice concurrently creates one account'],
    ],
  },
  'GET /api/user/history': {
    callers: viewer,
    tests: [
      [library, 'lists watched videos, newest first, in pages'],
      [library, 'has a stable order across pages while entries change'],
      [unlocked, 'a bought episode or whole video is listed with its resume position'],
      [library, 'refuses a cursor of another list and a forged cursor'],
    ],
  },
  'POST /api/user/history': {
    callers: `${viewer}; only for episodes they may play`,
    tests: [
      [library, 'is changed by a rewind with a newer time, but not by an older or repeated call'],
      [library, 'is not lost when ten devices save positions at once'],
      [library, 'counts once per viewer, episode and half hour'],
      [
        library,
        'is refused, not stored and not counted for an episode that is locked, not ready or not visible',
      ],
      [library, 'needs a token'],
    ],
  },
  'GET /api/user/favorite': {
    callers: viewer,
    tests: [
      [favorites, 'has a stable order across pages while favorites change'],
      [favorites, 'cannot be added without a token, and the list of a guest without records is empty'],
    ],
  },
  'POST /api/user/favorite': {
    callers: viewer,
    tests: [
      [favorites, 'keeps its position in the list when it is added again'],
      [favorites, 'is refused for a video that does not exist or is not visible'],
      [libraryRaces, 'add and remove a favorite once, however often they repeat the call'],
    ],
  },
  'DELETE /api/user/favorite': {
    callers: viewer,
    tests: [
      [favorites, 'is removed once, alone or together with other favorites'],
      [favorites, 'cannot be added without a token, and the list of a guest without records is empty'],
    ],
  },
  'GET /api/video/episode': {
    callers: 'everybody; a locked episode: viewers entitled to it',
    tests: [
      [delivery, 'has a playlist, segment, captions and storyboard for everyone, each with its content type'],
      [delivery, 'is refused with the offer and without a link'],
      [delivery, 'plays for its buyer and is locked for other viewers'],
      [delivery, 'a request for an episode that is being converted returns its progress'],
    ],
  },
  'GET /api/video': {
    callers: everybody,
    tests: [
      [catalog, 'includes its price and similar videos'],
      [catalog, 'is not found if its id is unknown or it is a draft'],
      [library, 'resumes the video, for this viewer only'],
    ],
  },
  'GET /api/payment': {
    callers: `${viewer}; an order: its owner alone`,
    tests: [
      [createOrder, "a user's orders are listed newest first, in pages"],
      [createOrder, "does not show another user's order or accept a payment for it"],
    ],
  },
  'POST /api/payment/cancel': {
    callers: viewer,
    tests: [
      [cancel, 'a cancelled subscription gives access until its paid period ends'],
      [cancel, 'a repeated key returns its first response, and does not undo a later change'],
      [cancel, "a user cannot cancel another user's subscription"],
    ],
  },
  'GET /api/plan': { callers: everybody, tests: [[billing, 'plans are listed in the requested language']] },
  'POST /api/payment/pay': {
    callers: `${viewer}; the owner of the order`,
    tests: [
      [
        billing,
        'that is paid by card is unlocked for its buyer, but stays locked for other users; other episodes stay locked',
      ],
      [createOrder, "does not show another user's order or accept a payment for it"],
      [billingRaces, '50 concurrent presses of "Pay" charge once, and all get the paid order'],
      [cardFailures, 'a sixth card within an hour is not tried after five declined cards of the same user'],
      [cardFailures, 'no user of a network with too many failed cards can pay until the limit expires'],
    ],
  },
  'POST /api/payment/order': {
    callers: viewer,
    tests: [
      [billing, 'is not sold if it is free or already owned, and no order is created'],
      [createOrder, 'refuses a gateway that this site does not offer'],
      [
        billingRaces,
        'a key returns the same response despite different ad click ids, and is refused for another body or call',
      ],
      [createOrder, 'refuses every call that needs a visitor if the call has no token'],
    ],
  },
  'GET /api/tag': {
    callers: everybody,
    tests: [
      [listings, 'are ordered by their plays, and older plays count less'],
      [search, 'finds tags and titles by the beginning of their words'],
    ],
  },
  'GET /api/homepage': {
    callers: everybody,
    tests: [
      [catalog, 'has the menu, and the non-empty sections in order'],
      [catalog, 'has its texts in the requested language'],
    ],
  },
  'GET /api/homepage/query': {
    callers: everybody,
    tests: [
      [catalog, 'returns each published video once, page by page, even while new videos are added'],
      [search, 'ignores accents in keywords and in titles'],
      [listings, 'refuses the cursor of another list, order or search, and returns 404 for an unknown id'],
    ],
  },
  'POST /api/video/unlock': {
    callers: viewer,
    tests: [
      [billing, 'returns the entitlement that covers an episode'],
      [billing, 'is refused with the offer if no entitlement covers the episode'],
    ],
  },
  'GET /api/statics.png': {
    callers: everybody,
    tests: [
      [tracking, 'returns an uncacheable pixel, and stores the event with its fields'],
      [tracking, 'stores a user and click ids only with consent'],
    ],
  },
  'GET /api/reports': {
    callers: everybody,
    tests: [[tracking, 'returns the four pixel ids from the environment, or empty values']],
  },
  'GET /api/webhook/payment/paypal-cancel': {
    callers: everybody,
    tests: [
      [paypal, 'a payment that the buyer cancelled at PayPal is cancelled once, and its order stays open'],
      [
        paypal,
        'a payment that PayPal reports as approved is captured, even if the URL says that it was cancelled',
      ],
      [paypal, 'an unknown token (%j) redirects to the result page without an order'],
    ],
  },
}

/** Rules that apply to every endpoint. */
export const rules: readonly { rule: string; proofs: readonly TestReference[] }[] = [
  {
    rule: 'Every response is an envelope and matches `/api/openapi.json` (each test checks it)',
    proofs: [
      [http, 'describes every call in an OpenAPI 3.1 document'],
      [fuzz, 'answers every invalid request in the envelope, without a 5xx or internal details'],
    ],
  },
  {
    rule: 'Unreadable requests (NUL, lone surrogates, wrong types, deep or large bodies, wrong methods) return a 4xx with a message',
    proofs: [
      [malformed, 'is refused with HTTP 413 if it is too large, and with HTTP 415 if it is not JSON'],
      [malformed, 'answers a wrong method, and unknown paths below /api, with HTTP 404'],
      [fuzz, 'answers every invalid request in the envelope, without a 5xx or internal details'],
    ],
  },
  {
    rule: 'More than 600 requests a minute per user, or 6,000 per IP address, return 429 with `Retry-After`, counted across all processes',
    proofs: [
      [
        limits,
        'answers 429 with Retry-After only to the viewer who called too often, in the language of the viewer',
      ],
      [limits, 'add up their counts after an exchange'],
      [limits, 'also limits the calls of an IP address, but no media requests and no health checks'],
    ],
  },
  {
    rule: 'While the database is unavailable: 503 with `Retry-After` within the timeout, and automatic recovery',
    proofs: [
      [
        databaseOutage,
        'answers 503 with Retry-After while PostgreSQL refuses connections, stays alive, and recovers',
      ],
      [databaseOutage, 'answers 503 to a call whose connection breaks in the middle of a query'],
      [databaseOutage, 'answers 503 in time if every connection is in use'],
    ],
  },
  {
    rule: "`accept-language`: the first supported language, else the user's stored language, else English",
    proofs: [
      [malformed, 'is the first offered language of accept-language'],
      [
        malformed,
        'is the stored language of the user if the header names no offered language, also for errors',
      ],
      [malformed, 'is English for everyone else'],
    ],
  },
  {
    rule: 'Cookie: `HttpOnly; SameSite=Lax`, over https `Secure` and `__Host-`; a guest has no database row; sign-in starts a new session',
    proofs: [
      [members, 'gets an id from GET /api/user, keeps it from call to call, and needs no row'],
      [members, 'gets no further cookie before a row exists'],
      [signIn, 'returns the account, whatever the case of the address, and a new session'],
      [signIn, 'expires after 90 days without a call, and after 400 days in any case'],
      [members, 'cookies are secure and bound to this host, and other cookies are ignored'],
    ],
  },
  {
    rule: '`x-user-token`: returned by the user endpoints; differs from the cookie and is accepted only in the header',
    proofs: [
      [
        members,
        'is identified by a token in a header if cookies are disabled, but not by the same token in a cookie',
      ],
      [
        signIn,
        'is identified by its header token if cookies are disabled, but the cookie’s token is refused in the header, and the header token in the cookie',
      ],
    ],
  },
  {
    rule: "Unsafe requests that rely on the cookie must come from the site's own pages",
    proofs: [
      [members, 'with a guest cookie is refused from another site'],
      [members, 'that relies on the cookie and comes from %s gets HTTP %i'],
    ],
  },
  {
    rule: '`Idempotency-Key` on an unsafe payment request or an unlock: the same response for the same body, 409 for another body; click ids are ignored',
    proofs: [
      [
        billingRaces,
        'a key returns the same response despite different ad click ids, and is refused for another body or call',
      ],
    ],
  },
  {
    rule: '`x-referrer-token`, `x-fbclid`, `x-ttclid` are sent with every request; click ids also in the query of a GET and the body of other methods',
    proofs: [
      [api, 'the ad click ids are sent in headers, and in the query of a GET or the body of other calls'],
      [api, 'the referrer token is sent percent-encoded, so that it may contain any characters'],
    ],
  },
  {
    rule: "`x-time-zone` is sent with every unsafe request and stored with the user; mails show dates in that zone, or in UTC with the zone's name",
    proofs: [
      [api, 'a call that may store data sends the time zone of the browser'],
      [members, 'has the time zone of the browser used last, and an unknown time zone is ignored'],
      [receipts, 'has the date in the buyer’s time zone %s'],
      [receipts, 'has the date in UTC, and says so, if the buyer’s time zone is unknown'],
    ],
  },
  {
    rule: 'Before each navigation `token`, `fbclid` and `ttclid` are removed from the URL and stored',
    proofs: [[visit, 'stores token and click ids and removes them from the URL']],
  },
  {
    rule: 'Start-up order: the user (whose header token is stored), the tracking config, the homepage',
    proofs: [[api, 'prefetched calls are sent in order, each after the response to the previous call']],
  },
]
