import { expect, it } from 'vitest'
import { precacheManifest } from './build-manifest.ts'

it('lists the files of the viewers’ pages for the offline cache, and no file that only the studio uses', () => {
  const chunk = (file: string, more: object = {}) => ({ file, ...more })
  const manifest = {
    'index.html': chunk('index.js', {
      imports: ['_shared.js'],
      dynamicImports: ['home.tsx'],
      assets: ['latin.woff2'],
    }),
    'order.html': chunk('order.js', { name: 'order', imports: ['_shared.js'] }),
    'studio.html': chunk('studio.js', { imports: ['_shared.js'], dynamicImports: ['money.tsx'] }),
    '_shared.js': chunk('shared.js'),
    'home.tsx': chunk('home.js', { css: ['home.css'] }),
    'money.tsx': chunk('money.js', { css: ['money.css'] }),
  }
  const { entry, shell, onUse } = precacheManifest(manifest)
  expect(entry).toBe('/index.js')
  expect(shell.toSorted()).toEqual(['/home.css', '/home.js', '/index.js', '/latin.woff2', '/shared.js'])
  expect(onUse).toEqual(['/order.js'])
})
