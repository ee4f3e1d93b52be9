import { useRef } from 'react'
import { Button } from '#web/ui/Button.tsx'

/** A button by which a picture is chosen from the operator's machine; the same one may be chosen again. */
export function ChoosePicture({
  label,
  accept,
  onChoose,
  ...button
}: {
  label: string
  /** Media types, by commas. */
  accept: string
  look?: 'quiet'
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
