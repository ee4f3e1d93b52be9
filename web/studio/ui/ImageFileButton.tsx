import { useRef } from 'react'
import { Button } from '#web/ui/Button.tsx'

/** A button that opens the file picker for an image. The same file can be chosen several times. */
export function ImageFileButton({
  label,
  accept,
  onChoose,
  ...button
}: {
  label: string
  /** Accepted media types, separated by commas. */
  accept: string
  variant?: 'quiet'
  disabled?: boolean
  onChoose: (file: File) => void
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button {...button} onClick={() => input.current?.click()}>
        {label}
      </Button>
      <input
        ref={input}
        hidden
        type="file"
        accept={accept}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) onChoose(file)
          target.value = ''
        }}
      />
    </>
  )
}
