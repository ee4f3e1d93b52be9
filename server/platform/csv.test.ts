import { expect, it } from 'vitest'
import { csvLine } from './csv.ts'

it.each([
  [['plain', 4, null, ''], 'plain,4,,\r\n'],
  [['a,b', 'say "so"', 'two\nlines'], '"a,b","say ""so""","two\nlines"\r\n'],
  [
    ['=1+1', '+1', '-1', '@sum', '\tx', '=HYPERLINK("x","y")'],
    `'=1+1,'+1,'-1,'@sum,'\tx,"'=HYPERLINK(""x"",""y"")"\r\n`,
  ],
  [[-4.99], '-4.99\r\n'],
])('writes %j so that every program reads the same text and no spreadsheet runs a formula', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})
