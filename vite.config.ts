import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { stripContractValidator } from './scripts/web-build/strip-contract-validator.ts'

const fromHere = (path: string) => new URL(path, import.meta.url).pathname

const inEveryDocument = /assets\/(react|calls|base|router|site|rolldown-runtime)-[^/]*\.js$/

/** The build of the web client. `scripts/web-build/build-web.ts` runs it and post-processes its output. */
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
      // Omits from each screen's preload list the chunks that every document has already loaded.
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'js' ? files.filter((file) => !inEveryDocument.test(file)) : files,
    },
    rolldownOptions: {
      input: [fromHere('web/index.html'), fromHere('web/order.html'), fromHere('web/studio.html')],
      checks: { pluginTimings: false },
      output: {
        // Hashes are short, because the first script names the files of every screen and a hash cannot be compressed.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: [
            // API calls, which start before the other chunks have loaded.
            {
              name: 'calls',
              priority: 1,
              test: /(web\/lib\/(api|boot|consent|events|language|notify|settings|storage|tracking\/track|visit-parameters)|web\/i18n\/load-texts|contract\/(?!pages|social|money|billing|studio\/)(\w+|endpoint-url|all-endpoints))\.ts/,
            },
            // Libraries have their own chunks, which browsers can keep cached across releases.
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            { name: 'hls', test: /node_modules\/hls\.js\// },
            // Without infinite queries, because the home page uses none.
            {
              name: 'router',
              test: /node_modules\/(react-router|@tanstack(?!.*nfiniteQuery(Observer)?\.js)|@remix-run|cookie-es)\//,
            },
            // Our own code is in few chunks, because small files compress badly.
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
            // Shared by the paywall and the payment page, which are separate documents.
            {
              name: 'pay',
              test: /web\/features\/billing\/payments\/(order-report|pay|choices|plan-terms|accepted-terms|order-status)\.ts/,
            },
            {
              name: 'steps',
              test: /web\/(features\/billing\/(payments\/(use-payment-steps\.ts|ProblemNote|problem-note)|express\/wallet-availability)|ui\/forms\/SubmitBar)/,
            },
            // Shared by the forms of accounts, cards and the studio.
            {
              name: 'forms',
              test: /web\/(ui\/forms\/(use-fields|use-form|Field)\.tsx?|lib\/validation)|contract\/pages/,
            },
            // Texts about payment methods and plans, shared by the payment page and the member area.
            {
              name: 'methods',
              test: /web\/features\/billing\/(payment-methods\/method-(change|copy)|subscriptions\/(membership-copy|use-plan-change))/,
            },
            // Loaded once the page is idle.
            {
              name: 'deferred',
              test: /web\/(app\/deferred\/(?!register)|features\/tracking\/use-consent)/,
            },
            { name: 'toast', test: /web\/ui\/(toast|floating-line)/ },
            // Loaded by the episode screen in addition to its own chunk.
            {
              name: 'video',
              test: /web\/player\/(hooks\/(storyboard-query|use-captions)|ui\/settings-sheet)/,
            },
            // The pages and forms of the account.
            {
              name: 'account',
              test: /web\/features\/members\/(forms\/(AccountPage|SignInAgain|settings\.module|use-sign-out|CodeField|CurrentPassword)|settings\/(LinkedAccounts|sessions-query)|sign-in\/social-)/,
            },
            // Shared by several screens, but not used by the home page.
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
