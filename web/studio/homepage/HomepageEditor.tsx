import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  payLayouts,
  saveHomepage,
  showHomepage,
  type StudioHomepage,
  type HomepageDraft,
  type DraftSection,
} from '#contract/studio/homepage.ts'
import { call } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { SortableList } from '#web/studio/ui/SortableList.tsx'
import { Panel } from '#web/studio/ui/Page.tsx'
import { useUnsaved } from '#web/studio/ui/unsaved/use-unsaved.ts'
import { HomepageConflict } from './HomepageConflict.tsx'
import { HomepagePreview, type PreviewSize } from './HomepagePreview.tsx'
import { SectionFields } from './SectionFields.tsx'
import { isVersionConflict } from './text-queries.ts'
import styles from './homepage.module.css'

/** All values of a homepage except its sections. */
type DraftSettings = Omit<HomepageDraft, 'sections'>

let newSectionCount = 0
/** A section with a key for React. A new section has no id yet. */
type Keyed = DraftSection & { key: string }
const unkeyed = ({ id, kind, titles, source }: Keyed): DraftSection => ({ id, kind, titles, source })
const keyed = (section: DraftSection): Keyed => ({
  ...section,
  key: section.id ?? `new-${++newSectionCount}`,
})
const isTitled = ({ titles }: DraftSection) => Boolean(titles.en?.trim())

/**
 * Edits a draft of the homepage beside its preview, and publishes it. A refetched homepage does not replace the draft:
 * if another operator has published meanwhile, the operator chooses which version to keep.
 */
export function HomepageEditor({ composed }: { composed: StudioHomepage }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const [theirs, setTheirs] = useState<StudioHomepage | null>(null)
  const { run, busy } = useCommand(saveHomepage, t('done.homepageSaved'), async (error) => {
    const current = isVersionConflict(error) ? await call(showHomepage).catch(() => null) : null
    if (current) setTheirs(current)
    return current !== null
  })
  const [size, setSize] = useState<PreviewSize>('phone')
  const [published, setPublished] = useState(composed)
  const [sections, setSections] = useState(() => composed.draft.sections.map(keyed))
  const [draftSettings, setDraftSettings] = useState<DraftSettings>(composed.draft)
  const draft: HomepageDraft = { ...draftSettings, sections: sections.map(unkeyed) }
  const isChanged = JSON.stringify(draft) !== JSON.stringify(published.draft)
  useUnsaved(isChanged)
  const lacksTitle = !sections.every(isTitled)
  const change = (changed: Partial<DraftSettings>) => setDraftSettings({ ...draftSettings, ...changed })
  const load = (homepage: StudioHomepage) => {
    queryClient.setQueryData(['studio-homepage'], homepage)
    setPublished(homepage)
    setSections(homepage.draft.sections.map(keyed))
    setDraftSettings(homepage.draft)
    setTheirs(null)
  }
  const save = async ({ version }: StudioHomepage) => {
    const saved = await run({ draft, version })
    if (saved) load(saved)
  }
  return (
    <div className={styles.composer}>
      <div className={styles.parts}>
        <Sections composed={composed} sections={sections} onChange={setSections} />
        <Menu composed={composed} menu={draftSettings.menu} onOrder={(menu) => change({ menu })} />
        <AppearanceFields rest={draftSettings} onChange={change} />
        {theirs && (
          <HomepageConflict
            theirs={theirs}
            opened={published}
            busy={busy}
            canPublish={!lacksTitle}
            onTheirs={() => load(theirs)}
            onMine={() => void save(theirs)}
          />
        )}
        <div className={styles.save}>
          <Button
            disabled={busy || !isChanged || lacksTitle || theirs !== null}
            onClick={() => void save(published)}
          >
            {t('homepage.save')}
          </Button>
          <p role="status">
            {t(
              lacksTitle
                ? 'homepage.titleMissing'
                : isChanged
                  ? 'homepage.unpublishedChanges'
                  : 'homepage.published',
            )}
          </p>
        </div>
      </div>
      {/* Viewers do not see a section without a title. */}
      <HomepagePreview
        draft={{ ...draft, sections: draft.sections.filter(isTitled) }}
        size={size}
        onSize={setSize}
      />
    </div>
  )
}

/** The sections in their order, with the fields of each. */
function Sections({
  composed,
  sections,
  onChange,
}: {
  composed: StudioHomepage
  sections: readonly Keyed[]
  onChange: (sections: Keyed[]) => void
}) {
  const { t, language } = useTexts()
  const nameOf = (section: Keyed) => {
    const place = sections.indexOf(section) + 1
    return section.titles[language]?.trim() || section.titles.en?.trim() || t('homepage.sectionAt', { place })
  }
  const add = () =>
    onChange([...sections, keyed({ id: null, kind: 'row', titles: { en: '' }, source: { type: 'newest' } })])
  return (
    <Panel title={t('homepage.sections')}>
      <SortableList items={sections} keyOf={({ key }) => key} nameOf={nameOf} onOrder={onChange}>
        {(section) => (
          <SectionFields
            section={section}
            name={nameOf(section)}
            composed={composed}
            onChange={(changed) =>
              onChange(sections.map((each) => (each === section ? { ...each, ...changed } : each)))
            }
            onRemove={() => onChange(sections.filter((each) => each !== section))}
          />
        )}
      </SortableList>
      <Button variant="quiet" onClick={add}>
        {t('homepage.addSection')}
      </Button>
    </Panel>
  )
}

function Menu({
  composed,
  menu,
  onOrder,
}: {
  composed: StudioHomepage
  menu: DraftSettings['menu']
  onOrder: (menu: DraftSettings['menu']) => void
}) {
  const { t } = useTexts()
  const nameOf = (id: string) => composed.categories.find((category) => category.id === id)?.name ?? ''
  return (
    <Panel title={t('homepage.menu')}>
      <SortableList slim items={menu} keyOf={(id) => id} nameOf={nameOf} onOrder={onOrder}>
        {(id) => <span>{nameOf(id)}</span>}
      </SortableList>
    </Panel>
  )
}

/** The footer's text, and the appearance of the paywall. */
function AppearanceFields({
  rest,
  onChange,
}: {
  rest: DraftSettings
  onChange: (changed: Partial<DraftSettings>) => void
}) {
  const { t } = useTexts()
  const theme = rest.pay_theme
  return (
    <Panel title={t('homepage.appearance')}>
      <label className={styles.text}>
        {t('homepage.copyright')}
        <input
          value={rest.copyright ?? ''}
          maxLength={200}
          onChange={({ target: { value } }) => onChange({ copyright: value === '' ? null : value })}
        />
      </label>
      <SelectField
        label={t('homepage.layout')}
        value={theme.layout}
        options={payLayouts.map((value) => ({ value, label: t(`homepage.layoutName.${value}`) }))}
        onChoose={(value) =>
          onChange({ pay_theme: { ...theme, layout: value === 'card' ? 'card' : 'sheet' } })
        }
      />
      <label className={styles.text}>
        {t('homepage.accent')}
        <input
          type="color"
          value={theme.accent}
          onChange={({ target: { value } }) => onChange({ pay_theme: { ...theme, accent: value } })}
        />
      </label>
    </Panel>
  )
}
