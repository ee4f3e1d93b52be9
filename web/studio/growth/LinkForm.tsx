import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createLink, type Link } from '#contract/studio/links.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/use-guarded-form.ts'
import { episodeOfAddress } from './episode-address.ts'
import { LinkSheet } from './LinkSheet.tsx'
import styles from './growth.module.css'

/** Makes a link to an episode, and shows it with its QR code. */
export function LinkForm() {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const [made, setMade] = useState<Link | null>(null)
  const form = useGuardedForm({
    initial: { name: '', address: '' },
    messagesOf: ({ name, address }) => ({
      ...(name.trim() === '' ? { name: t('growth.linkNameBad') } : {}),
      ...(episodeOfAddress(address) ? {} : { address: t('growth.linkToBad') }),
    }),
    send: async ({ name, address }) => {
      const target = episodeOfAddress(address)
      if (!target) return
      setMade(await call(createLink, { body: { ...target, name: name.trim().slice(0, 100) } }))
      // Pressed again, it would make the same one twice.
      form.renew({ name: '', address: '' })
      void queryClient.invalidateQueries({ queryKey: ['growth', 'links'] })
    },
  })
  return (
    <form className={styles.make} onSubmit={form.submit} noValidate>
      <Field
        {...form.field('name')}
        label={t('growth.linkName')}
        hint={t('growth.linkNameHint')}
        autoComplete="off"
      />
      <Field
        {...form.field('address')}
        label={t('growth.linkTo')}
        hint={t('growth.linkToHint')}
        inputMode="url"
        autoComplete="off"
      />
      <Button type="submit" disabled={form.busy}>
        {t('growth.makeLink')}
      </Button>
      {made && <LinkSheet link={made} onClose={() => setMade(null)} />}
    </form>
  )
}
