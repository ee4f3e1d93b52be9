/** An e-mail address, or a name or ID in its place. A narrow column breaks an address after the "@", not in a word. */
export function EmailText({ text }: { text: string }) {
  const domainStart = text.lastIndexOf('@') + 1
  return (
    <span>
      {text.slice(0, domainStart)}
      <wbr />
      {text.slice(domainStart)}
    </span>
  )
}
