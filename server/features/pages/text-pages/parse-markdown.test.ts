import { expect, it } from 'vitest'
import { parseMarkdown, plainText } from './parse-markdown.ts'

const parse = (markdown: string, values = {}) => parseMarkdown(markdown, values)

it('the first heading becomes the title, and every other heading gets an id', () => {
  const { title, blocks } = parse('# Terms & more\n\n## What it is\n\n### Größe\n\n## What it is')
  expect(title).toBe('Terms & more')
  expect(blocks).toEqual([
    { kind: 'heading', id: 'what-it-is', lines: [[{ text: 'What it is' }]] },
    { kind: 'subheading', id: 'größe', lines: [[{ text: 'Größe' }]] },
    { kind: 'heading', id: 'what-it-is-2', lines: [[{ text: 'What it is' }]] },
  ])
})

it('paragraphs, lists, bold, italics and links are parsed', () => {
  const { blocks } = parse('A **bold *and* [way](/my)**\nout.\n\n- one\n- *two*\n\n1. first')
  expect(blocks).toEqual([
    {
      kind: 'paragraph',
      lines: [
        [
          { text: 'A ' },
          { text: 'bold ', strong: true },
          { text: 'and', strong: true, emphasis: true },
          { text: ' ', strong: true },
          { text: 'way', strong: true, href: '/my' },
          { text: ' out.' },
        ],
      ],
    },
    { kind: 'list', lines: [[{ text: 'one' }], [{ text: 'two', emphasis: true }]] },
    { kind: 'steps', lines: [[{ text: 'first' }]] },
  ])
})

it.each([
  ['[x](javascript:alert(1))'],
  ['[x](data:text/html,x)'],
  ['[x](//elsewhere.example)'],
  ['[x](/\\elsewhere.example)'],
  ['[x]( JavaScript:alert(1))'],
])('the link %s becomes plain text', (markdown) => {
  const { blocks } = parse(markdown)
  expect(blocks.flatMap(({ lines }) => lines.flat()).filter(({ href }) => href)).toEqual([])
})

it('raw HTML becomes text', () => {
  const { blocks } = parse(
    '<script>alert(1)</script>\n\nA <b onclick="x">b</b> ![p](https://x.example/p.png)',
  )
  expect(blocks.map(({ lines }) => plainText(lines[0] ?? []))).toEqual([
    '<script>alert(1)</script>',
    'A <b onclick="x">b</b> ',
  ])
})

it('the value of a placeholder is inserted unchanged, and a line with an unset value is omitted', () => {
  const markdown =
    '# {{site}}\n\n- of {{operator}}\n- at {{site}}\n\n{{toString}}\n\n[{{mail}}](mailto:{{mail}})'
  const { title, blocks } = parse(markdown, { site: '*S* <b>', mail: 'a@b.example' })
  expect(title).toBe('*S* <b>')
  expect(blocks).toEqual([
    { kind: 'list', lines: [[{ text: 'at *S* <b>' }]] },
    { kind: 'paragraph', lines: [[{ text: 'a@b.example', href: 'mailto:a@b.example' }]] },
  ])
})
