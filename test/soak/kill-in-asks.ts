/** Kills the hub while one agent waits for another, at random moments, and reports the actions and messages of each. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { until } from '../fixtures/until.ts'
import { asking, startPeersWorld } from '../worlds/peers-world.ts'

export interface AskKills {
  /** Turns that agents began more than once. */
  readonly begunTwice: readonly string[]
  /** Turns that began and neither ended nor were cancelled. */
  readonly neverEnded: readonly string[]
  /** Commands in the order in which they ran, and the rounds that ordered one. */
  readonly ran: readonly string[]
  readonly ordered: readonly string[]
  /** The prompts in the threads, and the turns that the agents began. */
  readonly prompts: readonly string[]
  readonly begun: readonly string[]
  /** The number of turns that the record shows as started and not as ended. */
  readonly openTurns: number
}

const longestWaitMs = 400

export async function killInAsks({
  kills,
  seed,
}: {
  readonly kills: number
  readonly seed: number
}): Promise<AskKills> {
  await using world = await startPeersWorld()
  const names = ['a', 'b']
  for (const name of names) await world.agent(name)
  const ran = world.path('ran')
  const random = randomFrom(seed)
  for (let round = 0; round < kills; round++) {
    const [go, command] = [world.path(`go-${round}`), `RUN echo ${round} >> ${ran}`]
    const asked = [`asked ${round}`, `HOLD ${go}`, command, `SAY answer ${round}`]
    const script = [`lead ${round}`, asking('b', asked), `SAY end ${round}`]
    // The hub may be gone before it answers.
    void world.prompt('a', script, { wait: false }).catch(() => {})
    // Every other kill is certainly in the middle of the peer's turn.
    if (round % 2 === 0) await until(() => world.notes().includes(`begin asked ${round}`))
    await setTimeout(random() * longestWaitMs)
    await world.restart('SIGKILL')
    for (const name of names) await world.raw(await world.endpointOf(name), 'tools/list', {})
    writeFileSync(go, '')
    await until(async () => (await openTurns()) === 0)
  }

  /** The next hub writes the ends that this one could not. */
  async function openTurns(): Promise<number> {
    const count = async (type: string) =>
      (await world.events({ type, order: 'newest' })).map(({ id, parent }) => ({ id, parent }))
    const ended = new Set((await count('turn-ended')).map(({ parent }) => parent))
    const open = (await count('turn-started')).filter(({ id }) => !ended.has(id))
    return open.length
  }

  const begun = took('begin')
  const over = [...took('end'), ...took('cancelled')]
  const threads = await Promise.all(names.map((name) => world.thread(name).catch(() => undefined)))
  return {
    begunTwice: begun.filter((name, index) => begun.indexOf(name) !== index),
    neverEnded: begun.filter((name) => !over.includes(name)),
    ran: existsSync(ran) ? readFileSync(ran, 'utf8').split('\n').filter(Boolean) : [],
    ordered: took('end').flatMap((name) => /^asked (\d+)$/.exec(name)?.[1] ?? []),
    prompts: threads.flatMap((thread) =>
      (thread?.messages ?? []).flatMap(({ role, content }) =>
        role === 'user' ? [/^(lead|asked) \d+$/m.exec(content[0]!.text)?.[0] ?? ''] : [],
      ),
    ),
    begun,
    openTurns: await openTurns(),
  }

  function took(word: string): readonly string[] {
    return world.notes().flatMap((note) => (note.startsWith(`${word} `) ? [note.slice(word.length + 1)] : []))
  }
}

/** A small generator with a seed, so that a run can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}

/** The report that is expected for the turns that the agents began. */
export function truth({ begun, ordered }: AskKills): AskKills {
  const inThread = (session: string) => begun.filter((name) => name.startsWith(session))
  return {
    begunTwice: [],
    neverEnded: [],
    ran: ordered,
    ordered,
    prompts: [...inThread('lead'), ...inThread('asked')],
    begun,
    openTurns: 0,
  }
}
