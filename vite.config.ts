import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { stripContractValidator } from './scripts/web-build/strip-contract-validator.ts'

const fromHere = (path: string) => new URL(path, import.meta.url).pathname

const inEveryDocument = /assets\/(react|calls|base|router|site|rolldown-runtime)-[^/]*\.js$/

/** The browser's build. `scripts/web-build/build-web.ts` runs it and finishes what it leaves. */
export default defineConfig({
  root: fromHere('web'),
  plugins: [react(), stripContractValidator(fromHere('contract'))],
  worker: { format: 'es', rolldownOptions: { output: { entryFileNames: 'assets/[name]-[hash:7].js' } } },
  build: {
    outDir: fromHere('dist/web'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: {
      polyfill: false,
      // What every document has loaded already need not be named for each screen once more.
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'js' ? files.filter((file) => !inEveryDocument.test(file)) : files,
    },
    rolldownOptions: {
      input: [fromHere('web/index.html'), fromHere('web/order.html'), fromHere('web/studio.html')],
      checks: { pluginTimings: false },
      output: {
        // Every screen's files are named in the first script, and a hash cannot be compressed: short ones do.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: [
            // The calls that start before anything else has arrived.
            {
              name: 'calls',
              priority: 1,
              test: /(web\/lib\/(api|boot|consent|events|language|notify|settings|storage|tracking\/track|visit-parameters)|web\/i18n\/load-texts|contract\/(?!pages|social|money|billing|studio\/)(\w+|endpoint-url|all-endpoints))\.ts/,
            },
            // What both documents need, and what the card form does without: one file each, which outlive our releases.
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'hls', test: /node_modules\/hls\.js\// },
            // Endless lists are on other screens than home.
            {
              name: 'router',
              test: /node_modules\/(react-router|@tanstack(?!.*nfiniteQuery(Observer)?\.js)|@remix-run|cookie-es)\//,
            },
            // Ours in few pieces: small files compress badly.
            {
              name: 'base',
              test: /web\/(i18n\/(index|translator|use-translation|with-texts|en\/base\.json)|ui\/(Button|LoadError|base)|lib\/(paths|format(?!-money)))/,
            },
            {
              name: 'site',
              test: /web\/(app\/(?!screens|feed|reporting|deferred|UserMenu)|ui\/Icon|features\/((members|library)\/queries|catalog\/(queries|Card|section)))/,
            },
            {
              name: 'stream',
              test: /web\/player\/engine\/(stream|native-then-hls|lazy-hls-player|freeze-frame|native-player|play|preferences|track-position|stall-detector|bandwidth)\.ts/,
            },
            {
              name: 'watch',
              test: /web\/i18n\/(watch\.ts|en\/watch)|(web\/lib\/format-|contract\/)money|contract\/billing/,
            },
            // What sells and what pays share, in two documents.
            { name: 'pay', test: /web\/features\/billing\/payments\/(order-report|pay|price-copy)\.ts/ },
            {
              name: 'steps',
              test: /web\/(features\/billing\/(payments\/(use-payment-steps\.ts|ProblemNote|problem-note)|express\/wallet-availability)|ui\/forms\/SubmitBar)/,
            },
            // What asks for something: forms of accounts, cards and the studio.
            {
              name: 'forms',
              test: /web\/(ui\/forms\/(use-fields|use-form|Field)\.tsx?|lib\/validation)|contract\/pages/,
            },
            // What says which method and which plan there is, at the order and in the member area.
            {
              name: 'methods',
              test: /web\/features\/billing\/(payment-methods\/method-(change|copy)|subscriptions\/use-plan-change)/,
            },
            // Loaded once the page is idle.
            {
              name: 'deferred',
              test: /web\/(app\/deferred\/(?!register)|features\/tracking\/use-consent)/,
            },
            { name: 'toast', test: /web\/ui\/(toast|floating-line)/ },
            // What the screen of an episode asks for beside its own script.
            {
              name: 'video',
              test: /web\/player\/(hooks\/(storyboard-query|use-captions)|ui\/settings-sheet)/,
            },
            // Pages and forms of an account.
            {
              name: 'account',
              test: /web\/features\/members\/(forms\/(AccountPage|SignInAgain|settings\.module|use-sign-out|CodeField|CurrentPassword)|settings\/(LinkedAccounts|sessions-query)|sign-in\/social-)/,
            },
            // What several screens share, none of them the home page.
            {
              name: 'screens',
              test: /web\/(ui\/Sheet|features\/media\/(share|queries))/,
            },
          ],
        },
      },
    },
  },
})
