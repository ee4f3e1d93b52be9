import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  payLayouts,
  saveHomepage,
  type Composed,
  type Draft,
  type DraftSection,
} from '#contract/studio/homepage.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { Choice } from '#web/studio/ui/Choice.tsx'
import { Ordered } from '#web/studio/ui/Ordered.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { useUnsaved } from '#web/studio/ui/unsaved.ts'
import { Preview } from './Preview.tsx'
import { SectionFields } from './SectionFields.tsx'
import styles from './homepage.module.css'

let added = 0
/** A section with a name for React; a new one has no id yet. */
type Keyed = DraftSection & { key: string }
const unkeyed = ({ id, kind, titles, source }: Keyed): DraftSection => ({ id, kind, titles, source })
const keyed = (section: DraftSection): Keyed => ({ ...section, key: section.id ?? `new-${++added}` })
const isTitled = ({ titles }: DraftSection) => Boolean(titles.en?.trim())

/** The draft, its preview, and the button that makes it the homepage. */
export function Composer({ composed }: { composed: Composed }) {
  const { t, language } = useTexts()
  const queryClient = useQueryClient()
  const { run, busy } = useCommand(saveHomepage)
  const [sections, setSections] = useState(() => composed.draft.sections.map(keyed))
  const [rest, setRest] = useState<Omit<Draft, 'sections'>>(composed.draft)
  const draft: Draft = { ...rest, sections: sections.map(unkeyed) }
  const isChanged = JSON.stringify(draft) !== JSON.stringify(composed.draft)
  useUnsaved(isChanged)
  const lacksTitle = !sections.every(isTitled)
  const set = (change: Partial<typeof rest>) => setRest({ ...rest, ...change })
  const save = async () => {
    const saved = await run({ draft, version: composed.version })
    if (saved) queryClient.setQueryData(['homepage-desk'], saved)
  }
  const sectionName = ({ titles }: DraftSection, place: number) =>
    titles[language]?.trim() || titles.en?.trim() || t('homepage.sectionAt', { place })
  const nameOf = (id: string) => composed.categories.find((category) => category.id === id)?.name ?? ''
  return (
    <div className={styles.composer}>
      <div className={styles.parts}>
        <Panel title={t('homepage.sections')}>
          <Ordered
            items={sections}
            keyOf={({ key }) => key}
            nameOf={(section) => sectionName(section, sections.indexOf(section) + 1)}
            onOrder={setSections}
          >
            {(section) => (
              <SectionFields
                section={section}
                name={sectionName(section, sections.indexOf(section) + 1)}
                composed={composed}
                onChange={(changed) =>
                  setSections(sections.map((each) => (each === section ? { ...each, ...changed } : each)))
                }
                onRemove={() => setSections(sections.filter((each) => each !== section))}
              />
            )}
          </Ordered>
          <Button
            look="quiet"
            onClick={() =>
              setSections([
                ...sections,
                keyed({ id: null, kind: 'row', titles: { en: '' }, source: { from: 'newest' } }),
              ])
            }
          >
            {t('homepage.addSection')}
          </Button>
        </Panel>
        <Panel title={t('homepage.menu')}>
          <Ordered
            slim
            items={rest.menu}
            keyOf={(id) => id}
            nameOf={nameOf}
            onOrder={(menu) => set({ menu })}
          >
            {(id) => <span>{nameOf(id)}</span>}
          </Ordered>
        </Panel>
        <Panel title={t('homepage.look')}>
          <label className={styles.text}>
            {t('homepage.copyright')}
            <input
              value={rest.copyright ?? ''}
              maxLength={200}
              onChange={({ target: { value } }) => set({ copyright: value === '' ? null : value })}
            />
          </label>
          <Choice
            label={t('homepage.layout')}
            value={rest.pay_theme.layout}
            options={payLayouts.map((value) => ({ value, label: t(`homepage.layoutName.${value}`) }))}
            onChoose={(value) =>
              set({ pay_theme: { ...rest.pay_theme, layout: value === 'card' ? 'card' : 'sheet' } })
            }
          />
          <label className={styles.text}>
            {t('homepage.accent')}
            <input
              type="color"
              value={rest.pay_theme.accent}
              onChange={({ target: { value } }) => set({ pay_theme: { ...rest.pay_theme, accent: value } })}
            />
          </label>
        </Panel>
        <div className={styles.save}>
          <Button disabled={busy || !isChanged || lacksTitle} onClick={() => void save()}>
            {t('homepage.save')}
          </Button>
          <p role="status">
            {t(lacksTitle ? 'homepage.lacksTitle' : isChanged ? 'homepage.changed' : 'homepage.asSeen')}
          </p>
        </div>
      </div>
      {/* A section is not one before it has a title. */}
      <Preview draft={{ ...draft, sections: draft.sections.filter(isTitled) }} />
    </div>
  )
}
