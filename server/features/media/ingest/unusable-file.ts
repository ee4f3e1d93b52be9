/** A file that can't be used. The message is the reason in words, without the file's name: "is empty". */
export class UnusableFile extends Error {
  override name = 'UnusableFile'
}
