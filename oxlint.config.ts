import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type OxlintOverride } from 'oxlint'
import manifest from './package.json' with { type: 'json' }

/** The features that a server feature may import, by their public module `<feature>.ts` (docs/architecture.md). */
const buildsOn: Record<string, string[]> = {
  catalog: [],
  experiments: [],
  members: [],
  tracking: [],
  library: ['catalog', 'members', 'experiments'],
  alerts: ['catalog', 'members'],
  media: ['catalog', 'library', 'experiments'],
  billing: ['members', 'catalog', 'library', 'tracking', 'experiments'],
  pages: ['catalog', 'members', 'library', 'media', 'billing', 'tracking', 'experiments'],
  studio: ['catalog', 'members', 'library', 'media', 'billing', 'tracking', 'pages', 'experiments'],
}

/** The folders inside a large part of server/features, lowest first: each folder imports only from the folders before it. */
const rooms: Record<string, string[]> = {
  catalog: ['ranking', 'cards', 'recommendations', 'search', 'listing', 'homepage', 'editing'],
  members: ['sessions', 'credentials', 'account', 'social'],
  billing: [
    'states',
    'gateways',
    'records',
    'ledger',
    'balance',
    'mails',
    'payment-methods',
    'subscriptions',
    'refunds',
    'payments',
    'reconciliation',
    'checkout',
    'webhooks',
    'consumer-rights',
    'personal-data',
    'jobs',
    'admin',
    'reporting',
  ],
  'media/ingest': ['files', 'plan', 'captions', 'convert', 'storage', 'queue', 'import'],
}

interface Ban {
  regex: string
  message: string
  allowTypeImports?: boolean
}

const upwards: Ban = {
  regex: '^\\.\\.',
  message: 'Import from other folders by #contract, #server, #web, #demo, #scripts or #bench.',
}
const web: Ban = { regex: '^#web/', message: 'The server and the web share only contract/.' }
const server: Ban = { regex: '^#server/', message: 'The server and the web share only contract/.' }
const demo: Ban = { regex: '^#demo/', message: 'Only the composition roots import the demo.' }
const features: Ban = { regex: '^#server/features/', message: 'The platform imports no feature.' }
const roots: Ban = {
  regex: '^#server/(context|site|create-demo-catalogue)\\.ts$',
  message: 'Features do not import the composition roots.',
}
const kysely: Ban = {
  regex: '^kysely',
  message: 'SQL belongs in queries.ts and platform/database.',
  allowTypeImports: true,
}
const fastify: Ban = {
  regex: '^(@fastify/|fastify)',
  message: 'HTTP belongs in platform/http.',
  allowTypeImports: true,
}
const nodeHttp: Ban = {
  regex: '^node:https?$',
  message: "Importing node:http also loads Node's fetch, which takes 3 MB in a process that may not need it.",
  allowTypeImports: true,
}
const processes: Ban = {
  regex: '^(node:)?child_process$',
  message: 'Only run-*.ts starts child processes.',
  allowTypeImports: true,
}
const hls: Ban = { regex: '^hls\\.js', message: 'Only web/player imports hls.js.' }
const playerWithoutFeatures: Ban = {
  regex: '^#web/(features|app)/',
  message: 'The player imports no feature.',
}
const featuresWithoutApp: Ban = { regex: '^#web/app/', message: 'Features do not import the app.' }
const payments: Ban = {
  regex: '^(stripe|card-validator)',
  message: 'Payment libraries are imported in gateways/ only.',
}

const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).filter(
  (name) => name !== 'typebox',
)
const impure: Ban = {
  regex: `^(#(server|web|demo|e2e|scripts|bench|deploy)/|node:|(${packages.join('|')})(/|$))`,
  message: 'contract/ is pure: it imports typebox and itself.',
}

/**
 * Returns a pattern for the modules of a feature that others may not import. It lists the files, because the linter's
 * patterns have no look-ahead.
 */
function privateModules(feature: string, open: string[]): string {
  const entries = readdirSync(join(import.meta.dirname, 'server/features', feature), { withFileTypes: true })
  const names = entries
    .filter(({ name }) => !open.includes(name))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/.*` : entry.name.replaceAll('.', '\\.')))
  return `${feature}/(${names.join('|')})`
}

/** The folders inside large folders of the web, highest first: each folder imports only from the folders after it. */
const webRooms: Record<string, string[]> = {
  'features/members': ['settings', 'sign-in', 'forms'],
  player: ['ui', 'hooks', 'engine'],
  'features/billing': [
    'consumer-rights',
    'orders',
    'balance',
    'paywall',
    'auto-unlock',
    'order-form',
    'subscriptions',
    'payment-methods',
    'express',
    'stripe',
    'payments',
  ],
}

/** The imports that each part of the tree may not have. If several entries match a file, the last one applies. */
const layers: { files: string[]; bans: Ban[] }[] = [
  { files: ['**/*.{ts,tsx,mjs}'], bans: [upwards] },
  { files: ['contract/**/*.ts'], bans: [upwards, impure] },
  { files: ['demo/**/*.ts'], bans: [upwards, server, web] },
  { files: ['web/**/*.{ts,tsx}'], bans: [upwards, server, demo, hls] },
  {
    files: ['web/player/**/*.{ts,tsx}'],
    bans: [upwards, server, demo, playerWithoutFeatures],
  },
  ...roomLayers('player', [upwards, server, demo, playerWithoutFeatures]),
  {
    files: ['web/{ui,lib,i18n}/**/*.{ts,tsx}'],
    bans: [
      upwards,
      server,
      demo,
      hls,
      {
        regex: '^#web/(features|app|player)/',
        message: 'ui, lib and i18n import no features, player or app.',
      },
    ],
  },
  {
    files: ['web/features/**/*.{ts,tsx}'],
    bans: [upwards, server, demo, hls, featuresWithoutApp],
  },
  ...roomLayers('features/members', [upwards, server, demo, hls, featuresWithoutApp]),
  ...roomLayers('features/billing', [upwards, server, demo, hls, featuresWithoutApp]),
  {
    files: ['web/studio/**/*.{ts,tsx}'],
    bans: [
      upwards,
      server,
      demo,
      hls,
      {
        regex: '^#web/app/',
        message: "The studio is a separate entry point and does not import the viewers' app.",
      },
    ],
  },
  { files: ['server/*.ts'], bans: [upwards, web, fastify, kysely, nodeHttp] },
  // server/metrics is a composition root too: it reads all features, and serves Prometheus on a separate port.
  { files: ['server/metrics/*.ts'], bans: [upwards, web, demo, fastify, kysely, processes] },
  { files: ['server/metrics/*-queries.ts'], bans: [upwards, web, demo, fastify, processes] },
  {
    files: ['server/telemetry/*.ts'],
    bans: [upwards, web, demo, features, roots, kysely, fastify, processes, nodeHttp],
  },
  { files: ['server/telemetry/*.test.ts'], bans: [upwards, web, demo] },
  {
    files: ['server/platform/**/*.ts'],
    bans: [upwards, web, demo, features, roots, kysely, fastify, processes, nodeHttp],
  },
  { files: ['server/platform/database/**/*.ts'], bans: [upwards, web, demo, features, roots, fastify] },
  {
    files: ['server/platform/http/**/*.ts'],
    bans: [upwards, web, demo, features, roots, kysely, processes, nodeHttp],
  },
  {
    files: ['server/platform/processes/run-*.ts'],
    bans: [upwards, web, demo, features, roots, kysely, fastify],
  },
  { files: ['server/i18n/**/*.ts'], bans: [upwards, web, demo, features, roots, kysely, fastify, processes] },
  { files: ['server/testing/**/*.ts'], bans: [upwards, web] },
  ...Object.keys(buildsOn).flatMap(featureLayers),
]

function featureLayers(feature: string): { files: string[]; bans: Ban[] }[] {
  const others = Object.keys(buildsOn).filter((name) => name !== feature)
  const open = (name: string, files: string[]) =>
    buildsOn[feature]?.includes(name) ? privateModules(name, files) : `${name}/`
  const foreign: Ban = {
    regex: `^#server/features/(${others.map((name) => open(name, [`${name}.ts`])).join('|')})`,
    message: `${feature} imports only the public modules of: ${(buildsOn[feature] ?? []).join(', ') || 'no other feature'}.`,
  }
  // Tables import only tables: a public module imports server/tables.ts, so tables that import it would form a cycle.
  const foreignTables: Ban = {
    regex: `^#server/features/(${others.map((name) => open(name, ['tables.ts'])).join('|')})`,
    message: `The tables of ${feature} import only tables of what it builds on.`,
  }
  const inRooms = Object.entries(rooms)
    .filter(([part]) => part === feature || part.startsWith(`${feature}/`))
    .flatMap(([part, order]) =>
      order.flatMap((room, index) =>
        layersOf(`server/features/${part}/${room}`, [foreign, aboveRoom(part, room, order.slice(index + 1))]),
      ),
    )
  const tables = [upwards, web, demo, roots, foreignTables, fastify, processes, payments]
  return [
    ...layersOf(`server/features/${feature}`, [foreign]),
    ...inRooms,
    { files: [`server/features/${feature}/tables.ts`], bans: tables },
  ]
}

/** The imports that a folder may not have: higher folders, and its feature's public module, routes and jobs. */
function aboveRoom(part: string, room: string, higher: string[]): Ban {
  const [feature = ''] = part.split('/')
  const top = `${feature}/(${feature}|${feature}-jobs|routes)\\.ts`
  return {
    regex: `^#server/features/(${[top, ...higher.map((name) => `${part}/${name}/`)].join('|')})`,
    message: `${part}/${room} imports only from the folders before it in "rooms" (oxlint.config.ts).`,
  }
}

function layersOf(inside: string, own: Ban[]): { files: string[]; bans: Ban[] }[] {
  const usual = [upwards, web, demo, roots, ...own, fastify]
  const tests = [upwards, web, demo, { ...roots, allowTypeImports: true }]
  const gateways = inside.endsWith('/gateways') ? inside : `${inside}/gateways`
  return [
    { files: [`${inside}/**/*.ts`], bans: [...usual, kysely, processes, payments, nodeHttp] },
    { files: [`${inside}/**/{queries,*-queries,tables}.ts`], bans: [...usual, processes, payments] },
    { files: [`${inside}/**/run-*.ts`], bans: [...usual, kysely, payments] },
    { files: [`${gateways}/**/*.ts`], bans: [...usual, processes] },
    { files: [`${inside}/**/*.test.ts`], bans: tests },
  ]
}

function roomLayers(folder: string, bans: Ban[]): { files: string[]; bans: Ban[] }[] {
  const order = webRooms[folder] ?? []
  return order.slice(1).map((room, at) => {
    const above = order.slice(0, at + 1)
    return {
      files: [`web/${folder}/${room}/**/*.{ts,tsx}`],
      bans: [
        ...bans,
        {
          regex: `^#web/${folder}/(${above.join('|')})/`,
          message: `In web/${folder}, ${room} does not import: ${above.join(', ')}.`,
        },
      ],
    }
  })
}

export default defineConfig({
  plugins: ['typescript', 'react', 'import', 'unicorn', 'oxc', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['dist', 'data', 'test-results'],
  rules: {
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'react/react-in-jsx-scope': 'off',
    'react/exhaustive-deps': 'error',
    // A column of a table has a function that renders its cells. It is called, not used as a component.
    'react/no-unstable-nested-components': ['error', { allowAsProps: true }],
    // Style sheets are imported for their side effect.
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'no-shadow': 'off',
    'no-unmodified-loop-condition': 'off',
    // Our frames have our own origin, and each document has its own Content-Security-Policy.
    'react/iframe-missing-sandbox': 'off',
    // A video element is changed imperatively and observed by listeners, outside of React's rendering.
    'react/immutability': 'off',
    'react/refs': 'off',
    'react/set-state-in-effect': 'off',
    'react/exhaustive-effect-dependencies': 'off',
    'promise/no-callback-in-promise': 'off',
    'promise/no-promise-in-callback': 'off',
  },
  overrides: [
    ...layers.map(({ files, bans }): OxlintOverride => ({
      files,
      rules: { 'no-restricted-imports': ['error', { patterns: bans }] },
    })),
    { files: ['{contract,server,web}/**/*.{ts,tsx}'], rules: { 'no-console': 'error' } },
    {
      files: ['{bench,contract,deploy,e2e,scripts,web}/**/*.{ts,tsx,mjs}'],
      rules: { 'import/no-cycle': ['error', { ignoreTypes: false }] },
    },
  ],
})
