/** The questions asked in each repository, with answers as they come. They stay while the page is open. */
import type { Json } from '../../src/client/client.ts'
import type { RepositoryAnswer } from '../../src/api/repository.ts'
import type { Hub } from '../hub/hub.ts'
import { type Store, createStore } from '../hub/store.ts'

export interface Asked {
  readonly id: number
  readonly question: string
  /** The thoughts and searches of the model. */
  readonly thinking: string
  /** The answer so far. Its citations are checked before they come. */
  readonly text: string
  readonly state:
    | { readonly is: 'answering' }
    | { readonly is: 'answered'; readonly answer: RepositoryAnswer; readonly tookMs: number }
    | { readonly is: 'failed'; readonly why: string }
}

interface Questions {
  readonly questions: readonly Asked[]
  /** The id of the one that is shown. */
  readonly chosen: number | undefined
}

const byRepository = new Map<string, Store<Questions>>()
const running = new Map<number, AbortController>()
let lastId = 0

export function questionsIn(repository: string): Store<Questions> {
  let store = byRepository.get(repository)
  if (!store) byRepository.set(repository, (store = createStore<Questions>({ questions: [], chosen: undefined })))
  return store
}

export function chooseQuestion(repository: string, id: number): void {
  const store = questionsIn(repository)
  store.set({ ...store.get(), chosen: id })
}

export function stopAnswer(id: number): void {
  running.get(id)?.abort()
}

/** The answer continues while other views are open. */
export async function ask({ call }: Pick<Hub, 'call'>, repository: string, question: string): Promise<void> {
  const store = questionsIn(repository)
  const id = ++lastId
  const begun = performance.now()
  const stop = new AbortController()
  running.set(id, stop)
  const first: Asked = { id, question, thinking: '', text: '', state: { is: 'answering' } }
  store.set({ questions: [...store.get().questions, first], chosen: id })

  function change(next: (asked: Asked) => Partial<Asked>): void {
    const { questions, chosen } = store.get()
    store.set({ questions: questions.map((each) => (each.id === id ? { ...each, ...next(each) } : each)), chosen })
  }
  function onProgress({ message }: Json): void {
    const [, kind, piece = ''] = /^(thinking|final): ([\s\S]*)$/.exec(String(message)) ?? []
    if (kind === 'final') change(({ text }) => ({ text: text + piece }))
    else change(({ thinking }) => ({ thinking: thinking + (kind === undefined ? `${String(message)}\n` : piece) }))
  }
  try {
    const answer = await call<RepositoryAnswer>('ask_repository', { repository, question }, stop.signal, onProgress)
    const tookMs = performance.now() - begun
    change(() => ({ text: answer.answer, state: { is: 'answered', answer, tookMs } }))
  } catch (error) {
    const why = stop.signal.aborted ? 'Stopped.' : error instanceof Error ? error.message : String(error)
    change(() => ({ state: { is: 'failed', why } }))
  } finally {
    running.delete(id)
  }
}
