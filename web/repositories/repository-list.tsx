/** All repositories with the state of their index, and what was asked in the one that is shown. */
import type { RepositoryView } from '../../src/api/repository.ts'
import { PageLink } from '../app/link.tsx'
import { useStore } from '../hub/store.ts'
import { counted } from '../parts/amounts.ts'
import { StateMark } from '../parts/marks.tsx'
import { chooseQuestion, questionsIn } from './asked.ts'
import { markOf, progressWordsOf, shortCommit, stateWordsOf } from './index-words.ts'
import { ProgressBar } from './progress-bar.tsx'

export interface RepositoryListProps {
  readonly repositories: readonly RepositoryView[] | undefined
  readonly chosen: string | undefined
  readonly refused: string | undefined
}

export function RepositoryList({ repositories, chosen, refused }: RepositoryListProps) {
  return (
    <section className="pane list narrow" aria-label="All repositories">
      <div className="scroll" tabIndex={0} role="region" aria-label="List of repositories">
        {refused !== undefined && <p className="t3 p-4">{refused}</p>}
        <ul>
          {repositories?.map((repository) => (
            <RepositoryItem key={repository.id} repository={repository} isChosen={repository.name === chosen} />
          ))}
        </ul>
        {chosen !== undefined && <AskedList repository={chosen} />}
      </div>
    </section>
  )
}

function RepositoryItem({ repository, isChosen }: { readonly repository: RepositoryView; readonly isChosen: boolean }) {
  const { name, index, ref } = repository
  return (
    <li>
      <PageLink
        className="list-row"
        data-item
        to={{ is: 'repositories', id: name }}
        {...(isChosen && { 'aria-current': 'true' })}
      >
        <StateMark state={markOf(index)} label={stateWordsOf(index)} />
        <span className="q-main">
          <span className="row">
            <span className="w6 cut">{name}</span>
            <span className="grow" />
            {index.commit !== undefined && <code className="s12 t2">{shortCommit(index.commit)}</code>}
          </span>
          <span className="s12 t2 cut blk">
            {progressWordsOf(index) ?? (index.is === 'failed' ? 'Failed' : 'Ready')}
            {index.is === 'ready' && !index.progress && (
              <>
                <span className="sep" />
                {counted(index.files, 'file')}
              </>
            )}
            {(ref ?? index.branch) !== undefined && (
              <>
                <span className="sep" />
                {ref ?? index.branch}
              </>
            )}
          </span>
          {index.last_error !== undefined && <span className="s12 stop cut blk">{index.last_error}</span>}
          {index.progress && <ProgressBar {...index.progress} />}
        </span>
      </PageLink>
    </li>
  )
}

function AskedList({ repository }: { readonly repository: string }) {
  const { questions, chosen } = useStore(questionsIn(repository))
  if (questions.length === 0) return null
  return (
    <>
      <h2 className="gh q-gh">Asked in {repository}</h2>
      <ul className="asked">
        {questions.toReversed().map(({ id, question }) => (
          <li key={id}>
            <button
              className="cut"
              {...(id === chosen && { 'aria-current': 'true' })}
              onClick={() => chooseQuestion(repository, id)}
            >
              {question}
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}
