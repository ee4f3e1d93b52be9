import type { Proof } from './call-proofs.ts'

export const routes = 'e2e/pages/routes.spec.ts'
const screens = 'e2e/screens/screens.spec.ts'
const filled = 'e2e/screens/filled.spec.ts'
const scroll = 'e2e/playback/feed-scrolling.spec.ts'
export const pages = 'e2e/pages/pages.spec.ts'
export const journey = 'e2e/pages/journey.spec.ts'
const library = 'e2e/pages/library.spec.ts'
const account = 'e2e/pages/account.spec.ts'
const balance = 'e2e/billing/balance.spec.ts'
const documents = 'server/features/pages/head/content-security-policy.test.ts'
export const opens: Proof = [
  routes,
  'each of the 23 routes opens in #app with its own title; any other path is not found',
]
const readable: Proof = [screens, '…: accessible, no layout shift, and long words fit']
const readableFilled: Proof = [filled, '…: accessible, and long words fit']
const readableText: Proof = [pages, 'each page shows its title, which is also the document title']
const watching: Proof = [
  journey,
  'a visitor watches, reaches a locked episode, is declined, pays and continues on the same page',
]
const registering: Proof = [
  account,
  'a member registers, sets a name and a second factor, ends another session, and deletes the account',
]
export const subscribing: Proof = [
  account,
  'a guest subscribes, reads the receipt, and cancels and resumes in the member area with one click each',
]

/** A row of the table: the seed's requirement, the implementation, and the tests that prove it. */

export interface ScreenRow {
  seed: string
  here: string
  proofs: readonly Proof[]
}

/** The 23 routes of the seed (section 2), in its order. */
export const seedRoutes: readonly ScreenRow[] = [
  {
    seed: '`/`',
    here: 'carousel, continue watching, sections',
    proofs: [
      opens,
      readable,
      [scroll, 'going back to the homepage restores its scroll position'],
      [
        'e2e/pages/rows.spec.ts',
        'buttons beside a row of cards scroll it with a mouse, and are disabled at its ends',
      ],
    ],
  },
  { seed: '`/browse/{id}`', here: "a category's grid", proofs: [opens] },
  {
    seed: '`/more/{id}`',
    here: "a section's grid",
    proofs: [opens, [scroll, 'going back to a list restores its loaded pages and scroll position']],
  },
  {
    seed: '`/videos/{id}`',
    here: 'player, episodes, pay/unlock panel, share',
    proofs: [
      opens,
      watching,
      [journey, 'a plan unlocks every episode'],
      [balance, 'the balance sells while every gateway is away'],
    ],
  },
  {
    seed: '`/individual`',
    here: 'profile and settings',
    proofs: [opens, readable, readableFilled, registering],
  },
  {
    seed: '`/my`',
    here: 'membership, balance, orders, lists',
    proofs: [
      opens,
      readable,
      readableFilled,
      subscribing,
      [balance, 'the member area shows what is left, the history, and gives unspent money back'],
    ],
  },
  { seed: '`/login`', here: 'sign in', proofs: [opens, readable, registering] },
  { seed: '`/retrievePassword`', here: 'a lost password', proofs: [opens, readable] },
  { seed: '`/register`', here: 'register', proofs: [opens, readable, registering] },
  {
    seed: '`/favorites`',
    here: 'favorites',
    proofs: [
      opens,
      readable,
      readableFilled,
      [library, 'a double tap adds a favorite, and a swipe removes it from the list'],
    ],
  },
  {
    seed: '`/historys`',
    here: 'watch history',
    proofs: [
      opens,
      readable,
      readableFilled,
      [library, 'the history resumes at the saved position, and edit mode clears it'],
    ],
  },
  { seed: '`/unlocked`', here: 'unlocked videos', proofs: [opens, readable, readableFilled] },
  {
    seed: '`/search`',
    here: 'search with history, trending tags and type-ahead',
    proofs: [
      opens,
      readable,
      [library, 'arrow keys move through suggestions, and searches are stored until they are cleared'],
    ],
  },
  { seed: '`/searchDetail/{id}`', here: 'results for words or a tag', proofs: [opens, readable] },
  {
    seed: '`/shopping`',
    here: 'plans and purchase',
    proofs: [
      opens,
      readable,
      readableFilled,
      [journey, 'a subscriber cancels with one click, sees the end date, and resumes'],
      subscribing,
    ],
  },
  { seed: '`/privacyPolicy`', here: 'privacy policy', proofs: [opens, readableText] },
  { seed: '`/refundPolicy`', here: 'refund policy', proofs: [opens, readableText] },
  { seed: '`/serviceAgreement`', here: 'terms of use', proofs: [opens, readableText] },
  { seed: '`/contentPolicy`', here: 'content policy', proofs: [opens, readableText] },
  { seed: '`/commonQuestions`', here: 'FAQ', proofs: [opens, readableText] },
  {
    seed: '`/contactUs`',
    here: 'contact us, with a form',
    proofs: [
      opens,
      readableText,
      [pages, 'the contact form shows errors beside their fields, keeps its input, and is sent once'],
    ],
  },
  {
    seed: '`/order/result`',
    here: "an order's state, refreshed until it is final",
    proofs: [
      opens,
      readable,
      readableFilled,
      [journey, 'a wallet payment is approved on another page and returns to the episode'],
    ],
  },
  {
    seed: '`/order/easy`',
    here: 'the card form, a document of its own',
    proofs: [
      opens,
      watching,
      [documents, 'allows the payment form no foreign host'],
      [
        'e2e/billing/stripe.spec.ts',
        "a card in Stripe's fields pays once, however often the button is pressed, and its script is on no other page",
      ],
      [
        'e2e/billing/one-tap.spec.ts',
        "the bank's check of a saved card is shown in place, and passing it plays the episode",
      ],
      [
        'e2e/billing/express.spec.ts',
        'an express wallet pays with what its sheet shows, for the address that it knows',
      ],
    ],
  },
  {
    seed: 'any other path',
    here: 'the not-found screen, HTTP 404',
    proofs: [[routes, 'a path that is not listed shows the not-found screen']],
  },
]
