import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createLink, type CampaignLink } from '#contract/studio/campaign-links.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { parseEpisodeAddress } from './parse-episode-address.ts'
import { VideoField } from './VideoField.tsx'
import { CampaignLinkSheet } from './CampaignLinkSheet.tsx'
import styles from './analytics.module.css'

const empty = { name: '', address: '', video: '', episode: '1' }

/** Returns the id of the video in the pasted URL, else the id of the chosen video; empty if there is none. */
const videoOf = (address: string, chosen: string) => parseEpisodeAddress(address)?.video_id ?? chosen

/** Creates a campaign link to an episode, and shows it with its QR code. */
export function CampaignLinkForm() {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const [createdLink, setCreatedLink] = useState<CampaignLink | null>(null)
  const form = useGuardedForm({
    initial: empty,
    validate: ({ name, address, video, episode }) => ({
      ...(name.trim() === '' ? { name: t('analytics.linkNameInvalid') } : {}),
      ...(videoOf(address, video) ? {} : { address: t('analytics.linkVideoInvalid') }),
      ...(/^[1-9]\d{0,3}$/.test(episode) ? {} : { episode: t('analytics.linkEpisodeInvalid') }),
    }),
    send: async ({ name, address, video, episode }) => {
      const target = { video_id: videoOf(address, video), episode: Number(episode) }
      setCreatedLink(await call(createLink, { body: { ...target, name: name.trim().slice(0, 100) } }))
      // Clears the form, because another click would create the same link again.
      form.reset(empty)
      void queryClient.invalidateQueries({ queryKey: ['analytics', 'links'] })
    },
  })
  return (
    <form className={styles.make} onSubmit={form.submit} noValidate>
      <Field
        {...form.field('name')}
        label={t('analytics.linkName')}
        hint={t('analytics.linkNameHint')}
        autoComplete="off"
      />
      <VideoField
        {...form.field('address')}
        label={t('analytics.linkVideo')}
        hint={t('analytics.linkVideoHint')}
        chosen={form.value.video}
        onValue={(address) => {
          const pasted = parseEpisodeAddress(address)
          // The search results change, so a video that was chosen from the previous results is deselected.
          form.set({ address, video: '', ...(pasted ? { episode: String(pasted.episode) } : {}) })
        }}
        onChoose={(video) => form.set({ video })}
      />
      <Field
        {...form.field('episode')}
        label={t('analytics.linkEpisode')}
        inputMode="numeric"
        autoComplete="off"
      />
      <Button type="submit" disabled={form.busy}>
        {t('analytics.createLink')}
      </Button>
      {createdLink && <CampaignLinkSheet link={createdLink} onClose={() => setCreatedLink(null)} />}
    </form>
  )
}
