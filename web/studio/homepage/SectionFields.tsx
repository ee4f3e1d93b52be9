import { sectionKinds } from '#contract/catalog.ts'
import { languages } from '#contract/languages.ts'
import { sectionSources, type StudioHomepage, type DraftSection } from '#contract/studio/homepage.ts'
import { languageNames } from '#web/lib/language.ts'
import { Button } from '#web/ui/Button.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { VideoPicker } from './VideoPicker.tsx'
import styles from './homepage.module.css'

/** The fields of a section: titles, kind, and the source of its videos. */
export function SectionFields({
  section,
  name,
  composed,
  onChange,
  onRemove,
}: {
  section: DraftSection
  /** The section's accessible name. */
  name: string
  composed: StudioHomepage
  onChange: (change: Partial<DraftSection>) => void
  onRemove: () => void
}) {
  const { t } = useTexts()
  const { kind, titles, source } = section
  const named = source.type === 'category' ? composed.categories : composed.tags
  const choose = (type: string) => {
    const chosen = sectionSources.find((each) => each === type) ?? 'newest'
    const [first] = chosen === 'category' ? composed.categories : chosen === 'tag' ? composed.tags : []
    onChange({
      source: {
        type: chosen,
        ...(first ? { slug: first.slug } : {}),
        ...(chosen === 'videos' ? { videos: [] } : {}),
      },
    })
  }
  return (
    <div className={styles.section}>
      <label className={styles.text}>
        {t('homepage.titleIn', { language: languageNames.en })}
        <input
          value={titles.en ?? ''}
          maxLength={100}
          required
          // A section without an id was just added, so its title is focused.
          autoFocus={section.id === null}
          aria-invalid={!titles.en?.trim()}
          onChange={({ target: { value } }) => onChange({ titles: { ...titles, en: value } })}
        />
      </label>
      <details>
        <summary>
          {t('homepage.otherLanguages')}
          <span className="hidden-text"> {name}</span>
        </summary>
        {languages.slice(1).map((language) => (
          <label key={language} className={styles.text}>
            {languageNames[language]}
            <input
              value={titles[language] ?? ''}
              maxLength={100}
              onChange={({ target: { value } }) => onChange({ titles: { ...titles, [language]: value } })}
            />
          </label>
        ))}
      </details>
      <div className={styles.choices}>
        <SelectField
          label={t('homepage.kind')}
          value={kind}
          options={sectionKinds.map((value) => ({ value, label: t(`homepage.kindName.${value}`) }))}
          onChoose={(value) => onChange({ kind: sectionKinds.find((each) => each === value) ?? kind })}
        />
        <SelectField
          label={t('homepage.source')}
          value={source.type}
          options={sectionSources.map((value) => ({ value, label: t(`homepage.sourceName.${value}`) }))}
          onChoose={choose}
        />
        {(source.type === 'category' || source.type === 'tag') && (
          <SelectField
            label={t(`homepage.sourceName.${source.type}`)}
            value={source.slug ?? ''}
            options={named.map(({ slug, name }) => ({ value: slug, label: name }))}
            onChoose={(slug) => onChange({ source: { ...source, slug } })}
          />
        )}
      </div>
      {kind === 'row' && source.type === 'newest' && <p>{t('homepage.newestRowHint')}</p>}
      {source.type === 'videos' && (
        <VideoPicker
          ids={source.videos ?? []}
          known={composed.selected_videos}
          onPick={(videos) => onChange({ source: { ...source, videos } })}
        />
      )}
      <Button variant="quiet" onClick={onRemove}>
        {t('homepage.remove')}
        <span className="hidden-text"> {name}</span>
      </Button>
    </div>
  )
}
