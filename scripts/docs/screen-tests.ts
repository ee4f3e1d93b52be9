import type { TestReference } from './api-call-tests.ts'

export const routes = 'e2e/pages/routes.spec.ts'
const screens = 'e2e/screens/screens.spec.ts'
const filled = 'e2e/screens/filled.spec.ts'
const scroll = 'e2e/playback/feed-scrolling.spec.ts'
export const pages = 'e2e/pages/pages.spec.ts'
export const purchase = 'e2e/billing/purchase.spec.ts'
const library = 'e2e/pages/library.spec.ts'
const account = 'e2e/pages/account.spec.ts'
const balance = 'e2e/billing/balance.spec.ts'
const documents = 'server/features/pages/head/content-security-policy.test.ts'
export const opensEachRoute: TestReference = [
  routes,
  'each of the 23 routes opens in #app with its own title; any other path is not found',
]
const readable: TestReference = [screens, '…: accessible, no layout shift, and long words fit']
const readableFilled: TestReference = [filled, '…: accessible, and long words fit']
const readableText: TestReference = [pages, 'each page shows its title, which is also the document title']
const watching: TestReference = [
  purchase,
  'a visitor reaches a locked episode, pays after a declined card, and continues on the same page',
]
const registering: TestReference = [
  account,
  'a member registers, sets a name and a second factor, ends another session, and deletes the account',
]
export const subscribing: TestReference = [
  account,
  'a guest subscribes, reads the receipt, and cancels and resumes in the member area with one click each',
]

/**
 * A row of a table: a requirement of the seed (the project's specification), its implementation, and the tests that
 * verify it.
 */
export interface ScreenRow {
  seed: string
  implementation: string
  tests: readonly TestReference[]
}

/** The 23 routes of the seed (section 2), in the order of the seed. */
export const seedRoutes: readonly ScreenRow[] = [
  {
    seed: '`/`',
    implementation: 'carousel, continue watching, sections',
    tests: [
      opensEachRoute,
      readable,
      [scroll, 'going back to the homepage restores its scroll position'],
      [
        'e2e/pages/card-rows.spec.ts',
        'buttons beside a row of cards scroll it with a mouse, and are disabled at its ends',
      ],
    ],
  },
  { seed: '`/browse/{id}`', implementation: "a category's grid", tests: [opensEachRoute] },
  {
    seed: '`/more/{id}`',
    implementation: "a section's grid",
    tests: [opensEachRoute, [scroll, 'going back to a list restores its loaded pages and scroll position']],
  },
  {
    seed: '`/videos/{id}`',
    implementation: 'player, episodes, pay/unlock panel, share',
    tests: [
      opensEachRoute,
      watching,
      [purchase, 'a plan unlocks every episode'],
      [balance, 'an episode can be bought from the balance without any gateway'],
    ],
  },
  {
    seed: '`/individual`',
    implementation: 'profile and settings',
    tests: [opensEachRoute, readable, readableFilled, registering],
  },
  {
    seed: '`/my`',
    implementation: 'membership, balance, orders, lists',
    tests: [
      opensEachRoute,
      readable,
      readableFilled,
      subscribing,
      [balance, 'the member area shows the balance and its history, and refunds unspent money'],
    ],
  },
  { seed: '`/login`', implementation: 'sign in', tests: [opensEachRoute, readable, registering] },
  { seed: '`/retrievePassword`', implementation: 'a lost password', tests: [opensEachRoute, readable] },
  { seed: '`/register`', implementation: 'register', tests: [opensEachRoute, readable, registering] },
  {
    seed: '`/favorites`',
    implementation: 'favorites',
    tests: [
      opensEachRoute,
      readable,
      readableFilled,
      [library, 'a double tap adds a favorite, and a swipe removes it from the list'],
    ],
  },
  {
    seed: '`/historys`',
    implementation: 'watch history',
    tests: [
      opensEachRoute,
      readable,
      readableFilled,
      [library, 'the history resumes at the saved position, and edit mode clears it'],
    ],
  },
  {
    seed: '`/unlocked`',
    implementation: 'unlocked videos',
    tests: [opensEachRoute, readable, readableFilled],
  },
  {
    seed: '`/search`',
    implementation: 'search with history, trending tags and type-ahead',
    tests: [
      opensEachRoute,
      readable,
      [library, 'arrow keys move through suggestions, and searches are stored until they are cleared'],
    ],
  },
  {
    seed: '`/searchDetail/{id}`',
    implementation: 'results for words or a tag',
    tests: [opensEachRoute, readable],
  },
  {
    seed: '`/shopping`',
    implementation: 'plans and purchase',
    tests: [
      opensEachRoute,
      readable,
      readableFilled,
      [purchase, 'a subscriber cancels with one click, sees the end date, and resumes'],
      subscribing,
    ],
  },
  { seed: '`/privacyPolicy`', implementation: 'privacy policy', tests: [opensEachRoute, readableText] },
  { seed: '`/refundPolicy`', implementation: 'refund policy', tests: [opensEachRoute, readableText] },
  { seed: '`/serviceAgreement`', implementation: 'terms of use', tests: [opensEachRoute, readableText] },
  { seed: '`/contentPolicy`', implementation: 'content policy', tests: [opensEachRoute, readableText] },
  { seed: '`/commonQuestions`', implementation: 'FAQ', tests: [opensEachRoute, readableText] },
  {
    seed: '`/contactUs`',
    implementation: 'contact us, with a form',
    tests: [
      opensEachRoute,
      readableText,
      [pages, 'the contact form shows errors beside their fields, keeps its input, and is sent once'],
    ],
  },
  {
    seed: '`/order/result`',
    implementation: "an order's state, refreshed until it is final",
    tests: [
      opensEachRoute,
      readable,
      readableFilled,
      [purchase, 'a wallet payment is approved on another page and returns to the episode'],
    ],
  },
  {
    seed: '`/order/easy`',
    implementation: 'the card form, a document of its own',
    tests: [
      opensEachRoute,
      watching,
      [documents, 'the payment form may connect to no foreign host'],
      [
        'e2e/billing/stripe.spec.ts',
        "a card in Stripe's fields pays once, however often the button is pressed, and only the payment page loads Stripe's script",
      ],
      [
        'e2e/billing/one-tap.spec.ts',
        'the 3-D Secure check of a saved card is shown on the same page, and the episode plays after it is passed',
      ],
      [
        'e2e/billing/express.spec.ts',
        'an express wallet pays the amount shown in its sheet, and the order has the e-mail address of the wallet',
      ],
    ],
  },
  {
    seed: 'any other path',
    implementation: 'the not-found screen, HTTP 404',
    tests: [[routes, 'a path that is not listed shows the not-found screen']],
  },
]
