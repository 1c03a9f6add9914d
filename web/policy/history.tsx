/** The saved versions of a policy, and what each of them changed. */
import { Suspense, lazy } from 'react'
import { useLive } from '../hub/hub-context.tsx'
import { VisibleText } from '../parts/visible-text.tsx'
import { type PolicyDocument, type PolicyVersion, useVersions } from './policy-data.ts'
import { type PolicyPlace, idOf } from './policy-place.ts'

const Diff = lazy(async () => ({ default: (await import('../parts/diff.tsx')).Diff }))

export interface HistoryProps {
  readonly place: PolicyPlace
  readonly shown: number | undefined
  onShow(version: number): void
}

export function History({ place, shown, onShow }: HistoryProps) {
  const { value: versions = [] } = useVersions(place)
  if (versions.length === 0) return null
  return (
    <>
      <h2 className="gh q-gh">History</h2>
      <ul aria-label="History">
        {versions.map((each) => (
          <li key={each.version}>
            <button
              className="g-item hist"
              data-item
              aria-pressed={each.version === shown}
              onClick={() => onShow(each.version)}
            >
              <span className="num w5">v{each.version}</span>
              <span className="t2 cut grow">
                <VisibleText text={each.summary} />
              </span>
              <span className="s12 t3 nowrap">{dayText(each.saved_at)}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

export interface VersionViewProps {
  readonly place: PolicyPlace
  readonly version: number
  /** Puts the text into the editor. */
  onRestore(source: string): void
  onBack(): void
}

export function VersionView({ place, version, onRestore, onBack }: VersionViewProps) {
  const { value: versions = [] } = useVersions(place)
  const { value: texts } = useTexts(place, version)
  const facts = versions.find((each) => each.version === version)
  return (
    <>
      <div className="row ver-h">
        <h2 className="w6">v{version}</h2>
        {facts && <Facts facts={facts} />}
        <span className="grow" />
        <button className="btn" onClick={onBack}>
          Back to the editor
        </button>
        <button className="btn" disabled={!texts} onClick={() => texts && onRestore(texts.after)}>
          Edit v{version}
        </button>
      </div>
      <div className="ed-diff scroll">
        {texts && (
          <Suspense>
            <Diff before={texts.before} after={texts.after} />
          </Suspense>
        )}
      </div>
    </>
  )
}

function Facts({ facts }: { readonly facts: PolicyVersion }) {
  const { saved_by: by, saved_at: at } = facts
  return (
    <span className="s12 t3 cut">
      saved by <VisibleText text={by} />, {new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })}
    </span>
  )
}

/** A saved version never changes. */
function useTexts(place: PolicyPlace, version: number) {
  return useLive(`policy-version:${idOf(place)}:${version}`, ({ call }) => ({
    uris: [],
    async read(signal) {
      const textOf = async (number: number) =>
        number < 1 ? '' : (await call<PolicyDocument>('get_policy', { ...place, version: number }, signal)).source
      const [before, after] = await Promise.all([textOf(version - 1), textOf(version)])
      return { before, after }
    },
  }))
}

/** `today`, `12 Nov` */
function dayText(at: string): string {
  const [day, today] = [new Date(at), new Date()]
  if (day.toDateString() === today.toDateString()) return 'today'
  const year = day.getFullYear() === today.getFullYear() ? {} : { year: 'numeric' as const }
  return day.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...year })
}
