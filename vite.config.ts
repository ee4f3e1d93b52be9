import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { contractWithoutValidator } from './scripts/vite-contract.ts'

const fromHere = (path: string) => new URL(path, import.meta.url).pathname

/** The browser's build. `scripts/build-web.ts` runs it and finishes what it leaves. */
export default defineConfig({
  root: fromHere('web'),
  plugins: [react(), contractWithoutValidator(fromHere('contract'))],
  build: {
    outDir: fromHere('dist/web'),
    emptyOutDir: true,
    manifest: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1000,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: [fromHere('web/index.html'), fromHere('web/order.html')] },
  },
})
