/** A test by its file and the beginning of its name. */
export type Proof = readonly [file: string, name: string]

/** What the contract does not say of a call: who may make it, and what proves it. */
export interface CallNote {
  who: string
  proofs: readonly Proof[]
}

const catalog = 'server/features/catalog/catalog.test.ts'
const listings = 'server/features/catalog/listings.test.ts'
const search = 'server/features/catalog/search.test.ts'
const members = 'server/features/members/members.test.ts'
const account = 'server/features/members/account.test.ts'
const signIn = 'server/features/members/sign-in.test.ts'
const membersRaces = 'server/features/members/races.test.ts'
const secondFactor = 'server/features/members/second-factor.test.ts'
const library = 'server/features/library/library.test.ts'
const libraryRaces = 'server/features/library/library-races.test.ts'
const unlocked = 'server/features/library/unlocked.test.ts'
const favorites = 'server/features/library/favorites.test.ts'
const delivery = 'server/features/media/delivery.test.ts'
const billing = 'server/features/billing/billing.test.ts'
const billingRaces = 'server/features/billing/races.test.ts'
const cancel = 'server/features/billing/cancel.test.ts'
const cardFailures = 'server/features/billing/card-failures.test.ts'
const paypal = 'server/features/billing/leave-paypal.test.ts'
const tracking = 'server/features/tracking/tracking.test.ts'
const http = 'server/platform/http/server.test.ts'
const unreadable = 'server/platform/http/unreadable.test.ts'
const limits = 'server/platform/http/limit-calls.test.ts'
const away = 'server/platform/http/database-away.test.ts'
const fuzz = 'server/platform/http/fuzz.test.ts'
const api = 'web/lib/api.test.ts'
const visit = 'web/lib/visit.test.ts'

const everybody = 'everybody'
const viewer = 'whoever has a token: guest or member'

/** The 24 calls of the seed (section 7), in its order. */
export const seedCalls: Record<string, CallNote> = {
  'GET /api/user': {
    who: everybody,
    proofs: [
      [members, 'starts with GET /api/user'],
      [members, 'is a new one where the token was altered'],
      [signIn, 'travels in the header where cookies are disabled'],
    ],
  },
  'POST /api/user': {
    who: `${viewer}; e-mail and password: a member, with the password`,
    proofs: [
      [account, 'takes effect at once for name, language and consent'],
      [account, 'of e-mail and password needs a member'],
      [account, 'of the password ends every session but this one'],
      [members, 'without a token is told to sign in first'],
    ],
  },
  'POST /api/user/login': {
    who: 'everybody who is not signed in to another account',
    proofs: [
      [signIn, 'gives the account, whatever the case of the address'],
      [signIn, 'answers a wrong password, an unknown address'],
      [secondFactor, 'is begun with the password and asked of nobody until'],
      [membersRaces, 'two tabs that sign in together end with everything once'],
    ],
  },
  'POST /api/user/logout': {
    who: everybody,
    proofs: [
      [signIn, 'ends the session for good and gives a fresh guest'],
      [signIn, 'of somebody unknown gives a guest, too'],
    ],
  },
  'POST /api/user/register': {
    who: 'everybody who is not a member',
    proofs: [
      [account, 'makes the guest a member with the same id'],
      [account, 'is refused to somebody who is signed in'],
      [account, 'is limited for an address of the network'],
      [membersRaces, 'registering twice at once gives one account'],
    ],
  },
  'GET /api/user/history': {
    who: viewer,
    proofs: [
      [library, 'lists what was watched, newest first'],
      [library, 'stays in its order under a cursor'],
      [unlocked, 'lists what was bought'],
      [library, 'refuses a cursor of another list'],
    ],
  },
  'POST /api/user/history': {
    who: `${viewer}; only for episodes they may play`,
    proofs: [
      [library, 'is not changed by an older or repeated call'],
      [library, 'loses nothing when ten devices write at once'],
      [library, 'counts once per viewer, episode and half hour'],
      [library, 'is refused for an episode that is locked'],
      [library, 'needs a token'],
    ],
  },
  'GET /api/user/favorite': {
    who: viewer,
    proofs: [
      [favorites, 'comes in pages that stay in order'],
      [favorites, 'needs a token'],
    ],
  },
  'POST /api/user/favorite': {
    who: viewer,
    proofs: [
      [favorites, 'that is added again changes nothing'],
      [favorites, 'is refused for a video that is unknown'],
      [libraryRaces, 'make a video a favorite once'],
    ],
  },
  'DELETE /api/user/favorite': {
    who: viewer,
    proofs: [
      [favorites, 'goes when it is removed, one or many at once'],
      [favorites, 'needs a token'],
    ],
  },
  'GET /api/video/episode': {
    who: 'everybody; a locked episode: whoever is entitled to it',
    proofs: [
      [delivery, 'plays for anyone'],
      [delivery, 'answers with the offer and no link'],
      [delivery, 'plays for its buyer and stays locked for everybody else'],
      [delivery, 'answers an episode that is being made with its progress'],
    ],
  },
  'GET /api/video': {
    who: everybody,
    proofs: [
      [catalog, 'comes with its price and others like it'],
      [catalog, 'is not found where it is unknown or a draft'],
      [library, 'is where the video goes on, for this viewer alone'],
    ],
  },
  'GET /api/payment': {
    who: `${viewer}; an order: its owner alone`,
    proofs: [
      [billing, "a person's orders are listed newest first"],
      [billing, "somebody else's order: not seen, not paid"],
    ],
  },
  'POST /api/payment/cancel': {
    who: viewer,
    proofs: [
      [cancel, 'a cancelled subscription plays on until the paid period ends'],
      [cancel, 'a repeated key gives the answer it gave'],
      [cancel, "nobody cancels another person's subscription"],
    ],
  },
  'GET /api/plan': { who: everybody, proofs: [[billing, 'plans are listed in the language asked for']] },
  'POST /api/payment/pay': {
    who: `${viewer}; the owner of the order`,
    proofs: [
      [billing, 'is ordered, paid by card and opened, and only that one'],
      [billing, "somebody else's order: not seen, not paid"],
      [billingRaces, '"Pay" pressed 50 times at once charges once'],
      [cardFailures, 'the sixth card within an hour'],
      [cardFailures, 'an address from which too many cards failed'],
    ],
  },
  'POST /api/payment/order': {
    who: viewer,
    proofs: [
      [billing, 'is refused before an order where it is owned already or free'],
      [billing, 'a gateway that is not offered here'],
      [billingRaces, 'a key answers as before, whatever the ad click ids say'],
      [billing, 'every call that needs a visitor, without a token'],
    ],
  },
  'GET /api/tag': {
    who: everybody,
    proofs: [
      [listings, 'come with those in front that are played now'],
      [search, 'finds tags and titles by the beginning of their words'],
    ],
  },
  'GET /api/homepage': {
    who: everybody,
    proofs: [
      [catalog, 'shows the sections that have something to show'],
      [catalog, 'speaks the language asked for'],
    ],
  },
  'GET /api/homepage/query': {
    who: everybody,
    proofs: [
      [catalog, 'gives each published video once, page by page'],
      [search, 'forgives accents, on either side'],
      [listings, 'refuses the cursor of another list'],
    ],
  },
  'POST /api/video/unlock': {
    who: viewer,
    proofs: [
      [billing, 'gives the entitlement that covers an episode'],
      [billing, 'is refused with the offer where nothing covers it'],
    ],
  },
  'GET /api/statics.png': {
    who: everybody,
    proofs: [
      [tracking, 'answers a picture that is not stored'],
      [tracking, 'carries a person and click ids only with consent'],
    ],
  },
  'GET /api/reports': {
    who: everybody,
    proofs: [[tracking, 'gives the four keys as the environment has them']],
  },
  'GET /api/webhook/payment/paypal-cancel': {
    who: everybody,
    proofs: [
      [paypal, 'a payment that was called off at PayPal'],
      [paypal, 'one that PayPal says was approved'],
      [paypal, 'an unknown token'],
    ],
  },
}

/** What holds for every call. */
export const rules: readonly { rule: string; proofs: readonly Proof[] }[] = [
  {
    rule: 'Every answer is an envelope, and no answer is outside of `/api/openapi.json` (every test checks it)',
    proofs: [
      [http, 'describes every call in an OpenAPI 3.1 document'],
      [fuzz, 'answers whatever is wrong'],
    ],
  },
  {
    rule: 'What cannot be read (NUL, half characters, wrong types, deep or large bodies, wrong methods) is a 4xx with a sentence',
    proofs: [
      [unreadable, 'that is too large is HTTP 413'],
      [unreadable, 'answers a wrong method'],
      [fuzz, 'answers whatever is wrong'],
    ],
  },
  {
    rule: 'More than 600 calls a minute of a person, or 6,000 of an address, are answered 429 with `Retry-After`, over all processes',
    proofs: [
      [limits, 'answers 429 with Retry-After to the person'],
      [limits, 'count together once they have exchanged their counts'],
      [limits, 'limits an address too, but neither its media nor the probes'],
    ],
  },
  {
    rule: 'While the database is away: 503 with `Retry-After`, in time, and recovery by itself',
    proofs: [
      [away, 'answers 503 with Retry-After while PostgreSQL refuses'],
      [away, 'answers 503 to a call whose connection breaks'],
      [away, 'answers 503 in time where every connection is in use'],
    ],
  },
  {
    rule: '`accept-language`: the first that we have, else the language kept with the user, else English',
    proofs: [
      [unreadable, 'is the first of accept-language that we have'],
      [unreadable, 'is the one kept with the user'],
      [unreadable, 'is English for everybody else'],
    ],
  },
  {
    rule: 'Cookie: `HttpOnly; SameSite=Lax`; a guest costs no row; a new session at sign-in',
    proofs: [
      [members, 'starts with GET /api/user'],
      [members, 'is not given its empty cookie again'],
      [signIn, 'gives the account, whatever the case of the address'],
    ],
  },
  {
    rule: '`x-user-token`: on the answers of the user calls, another value than the cookie, and only good in the header',
    proofs: [
      [members, 'is known by its header token where cookies are disabled'],
      [signIn, 'travels in the header where cookies are disabled'],
    ],
  },
  {
    rule: 'Unsafe calls that rely on the cookie come from our own pages',
    proofs: [[members, 'is refused from another site']],
  },
  {
    rule: '`x-referrer-token`, `x-fbclid`, `x-ttclid` go with every call; the click ids also in the query of a GET and the body of the others',
    proofs: [[api, 'the ad click ids travel in headers']],
  },
  {
    rule: 'Before each navigation `token`, `fbclid` and `ttclid` are taken from the address and kept',
    proofs: [[visit, 'token and click ids are stored and leave the address']],
  },
  {
    rule: 'Start-up order: the user (whose header token is kept), the tracking config, the homepage',
    proofs: [[api, 'calls made ahead one after another are sent in that order']],
  },
]
