/** Each line of a script, in the format of each provider. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventsIn } from '../../../src/base/event-stream.ts'
import type { ClientCall, ClientRequest, ClientTurn, ModelClient } from './clients.ts'
import { clients } from './clients.ts'
import type { ScriptedModel } from './model.ts'
import { startScriptedModel } from './model.ts'

let model: ScriptedModel
beforeEach(async () => {
  model = await startScriptedModel()
})
afterEach(() => model[Symbol.asyncDispose]())

const tools = ['hub__add', 'note']

describe.each(clients)('$name', (client) => {
  const ask = (turns: readonly ClientTurn[], request: Partial<ClientRequest> = {}) =>
    fetch(model.origin + client.path(request.isStream ?? true), {
      method: 'POST',
      body: JSON.stringify(client.body({ tools, isStream: true, ...request, turns })),
    })
  const reply = async (...turns: readonly ClientTurn[]) => readReply(client, await ask(turns))
  /** Runs the tools until the model makes no more calls. The result of a tool is its name. */
  async function converse(prompt: string) {
    const turns: ClientTurn[] = [says(prompt)]
    for (const replies: ReadReply[] = []; ;) {
      const last = await reply(...turns)
      replies.push(last)
      if (last.calls.length === 0) return replies
      turns.push({ from: 'model', calls: last.calls })
      turns.push({ from: 'tools', results: last.calls.map(({ id, name }) => ({ id, text: name })) })
    }
  }

  test('echoes a prompt without commands, in pieces', async () => {
    const prompt = 'a prompt that is longer than one piece 👩‍🚀'
    const { text, pieces, isComplete } = await reply(says(prompt))
    expect({ text, isComplete }).toEqual({ text: `ECHO: ${prompt}`, isComplete: true })
    expect(pieces).toBe(2)
  })

  test('reports the same usage for every reply', async () => {
    for (const { usage } of await converse('CALL note {}')) expect(usage).toEqual({ input: 100, output: 10 })
  })

  test('makes one call after another, and ends with their results', async () => {
    const [first, second, last] = await converse('CALL add {"a":2,"b":"a value of more than one piece"}\nCALL note')
    expect(first?.calls).toMatchObject([{ name: 'hub__add', arguments: { a: 2, b: 'a value of more than one piece' } }])
    expect(second?.calls).toMatchObject([{ name: 'note', arguments: {} }])
    expect(first?.calls[0]?.id).not.toBe(second?.calls[0]?.id)
    expect(last).toMatchObject({ text: 'DONE: hub__add note', calls: [] })
  })

  test('makes the calls after PARALLEL in one turn', async () => {
    const [first, second, last] = await converse('CALL note {}\nPARALLEL\nCALL add {"a":1}\nCALL add {"a":2}')
    expect(first?.calls).toHaveLength(1)
    expect(second?.calls).toMatchObject([
      { name: 'hub__add', arguments: { a: 1 } },
      { name: 'hub__add', arguments: { a: 2 } },
    ])
    expect(new Set(second?.calls.map(({ id }) => id)).size).toBe(2)
    expect(last?.text).toBe('DONE: note hub__add hub__add')
  })

  test('thinks and speaks before the call that follows, and ends with the final text', async () => {
    const script = ['THINK one', 'THINK two', 'SAY first', 'CALL note {}', 'THINK three', 'SAY second', 'FINAL the end']
    const [first, last] = await converse(script.join('\n'))
    expect(first).toMatchObject({ thinking: 'one\ntwo', text: 'first', calls: [{ name: 'note' }] })
    expect(last).toMatchObject({ thinking: 'three', text: 'second\nthe end', calls: [] })
  })

  test('streams a long text word by word', async () => {
    const { text, pieces } = await reply(says('LONG 40\nFINAL the end'))
    expect(text).toMatch(/^word1 word2 .* word40\nthe end$/s)
    expect(pieces).toBe(41)
  })

  test('pauses before each piece', async () => {
    const slow = reply(says('SLOW 100\nLONG 5'))
    const quick = reply(says('LONG 5'))
    expect(await Promise.race([slow.then(() => 'slow'), quick.then(() => 'quick')])).toBe('quick')
    expect((await slow).text).toBe((await quick).text)
  })

  test('stalls until the test releases the reply', async () => {
    const response = await ask([says('STALL\nFINAL the end')])
    await expect.poll(() => model.stalled).toBe(1)
    model.release()
    expect((await readReply(client, response)).text).toBe('the end')
    expect(model.stalled).toBe(0)
  })

  test('forgets a stalled reply when the client leaves', async () => {
    const response = await ask([says('STALL')])
    await expect.poll(() => model.stalled).toBe(1)
    await response.body?.cancel()
    await expect.poll(() => model.stalled).toBe(0)
    expect(model.sent()).toEqual([])
  })

  test('fails every time without a count', async () => {
    for (let count = 0; count < 3; count += 1) expect((await ask([says('FAIL 529')])).status).toBe(529)
  })

  test('fails and cuts in the order of the script, and then answers each retry alike', async () => {
    const turns = [says('FAIL 429 2\nFAIL 500 1\nCUT\nSAY before\nCALL note {}')]
    for (const status of [429, 429, 500]) {
      const response = await ask(turns)
      expect(response.status).toBe(status)
      expect(response.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
      expect(await response.text()).toContain('The script says to fail.')
    }
    const cut = await reply(...turns)
    expect(cut).toMatchObject({ text: 'before', isComplete: false, isCut: true })
    const whole = await reply(...turns)
    expect(whole).toMatchObject({ text: 'before', calls: [{ name: 'note' }], isComplete: true })
    expect(await reply(...turns)).toEqual(whole)
  })

  test('cuts the reply to which the line belongs', async () => {
    const script = 'CALL note {}\nCUT 2\nLONG 10'
    const first = await reply(says(script))
    expect(first.isComplete).toBe(true)
    const turns = afterCall(script, first.calls)
    for (let count = 0; count < 2; count += 1) {
      const cut = await reply(...turns)
      expect(cut).toMatchObject({ isComplete: false, isCut: true })
      expect(cut.text).toMatch(/^word1 .*word[456]$/)
    }
    expect((await reply(...turns)).text).toMatch(/word10$/)
  })

  test('gives a call another id after a cut, because the client may have seen it', async () => {
    const turns = [says('CUT\nPARALLEL\nCALL note {}\nCALL note {}')]
    const seen = new Set<string>()
    const cut = await ask(turns)
    await expect(async () => {
      for await (const { data } of eventsIn(cut.body!)) {
        for (const delta of data === '[DONE]' ? [] : client.read(JSON.parse(data))) {
          if (delta.adds === 'call' && delta.id !== undefined) seen.add(delta.id)
        }
      }
    }).rejects.toThrow()
    expect(seen.size).toBe(1)
    for (const { id } of (await reply(...turns)).calls) expect(seen).not.toContain(id)
  })

  test('answers in one piece if the client wants no stream', async () => {
    const response = await ask([says('THINK about it\nFINAL the end')], { isStream: false })
    expect(client.wholeText(await response.json())).toBe('the end')
    const cut = await ask([says('CUT')], { isStream: false })
    await expect(cut.json()).rejects.toThrow()
  })

  test('gives the same calls after a restart', async () => {
    const [before] = await converse('CALL note {}')
    await model[Symbol.asyncDispose]()
    model = await startScriptedModel()
    expect((await converse('CALL note {}'))[0]).toEqual(before)
  })

  test('says so if there is no such tool', async () => {
    expect((await reply(says('CALL nothing {}'))).text).toBe('There is no tool nothing, only hub__add, note.')
  })

  test('records each conversation as it was sent, once', async () => {
    const script = 'FAIL 500 1\nTHINK hard\nSAY now\nPARALLEL\nCALL add {"a":1}\nCALL note {}\nCUT\nFINAL the end'
    const calls = [
      { name: 'hub__add', arguments: { a: 1 } },
      { name: 'note', arguments: {} },
    ]
    await ask([says(script)])
    const first = await reply(says(script))
    const turns = afterCall(script, first.calls)
    await reply(...turns)
    await reply(...turns)
    await reply(...turns)
    await reply(...turns, says('hello'))
    await reply(says('another'))
    expect(model.sent()).toMatchObject([
      {
        conversation: script,
        replies: [
          { thinking: 'hard', text: 'now', calls },
          { text: 'the end', calls: [] },
          { text: 'ECHO: hello', calls: [] },
        ],
      },
      { conversation: 'another', replies: [{ text: 'ECHO: another', calls: [] }] },
    ])
    expect(model.sent()[0]?.replies[0]?.calls).toEqual(first.calls)
    expect(model.asked.at(-2)).toMatchObject({ prompt: 'hello', earlier: [script], results: [] })
  })

  test('answers side requests without counting or recording them', async () => {
    const script = [says('FAIL 500 1\nFINAL the end')]
    const schema = { type: 'object', properties: { route: { enum: ['fast', 'good'] } } }
    const routed = await readReply(client, await ask(script, { schema }))
    expect(JSON.parse(routed.text)).toEqual({ route: 'fast' })
    expect((await readReply(client, await ask(script, { tools: [] }))).text).toBe('A scripted side answer')
    expect((await ask(script)).status).toBe(500)
    expect(model.asked).toHaveLength(1)
    expect(model.sent()).toEqual([])
  })
})

test('a request that offers its tools in the input, as Codex may, is not a side request', async () => {
  const functions = { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] }
  const input = [
    { type: 'additional_tools', role: 'developer', tools: [functions] },
    { type: 'message', role: 'user', content: 'hello' },
  ]
  await fetch(`${model.origin}/v1/responses`, { method: 'POST', body: JSON.stringify({ input }) })
  expect(model.asked).toMatchObject([{ prompt: 'hello', tools: [{ name: 'exec', namespace: 'functions' }] }])
})

test.each([
  ['/v1/messages/count_tokens', { input_tokens: 100 }],
  ['/v1beta/models/any:countTokens', { totalTokens: 100 }],
])('counts tokens at %s', async (path, counted) => {
  const response = await fetch(model.origin + path, { method: 'POST', body: '{}' })
  expect(await response.json()).toEqual(counted)
  expect(model.asked).toEqual([])
})

function says(text: string): ClientTurn {
  return { from: 'person', text }
}

function afterCall(script: string, calls: readonly ClientCall[]): readonly ClientTurn[] {
  return [
    says(script),
    { from: 'model', calls },
    { from: 'tools', results: calls.map(({ id, name }) => ({ id, text: name })) },
  ]
}

interface ReadReply {
  readonly thinking: string
  readonly text: string
  readonly calls: readonly ClientCall[]
  readonly usage: { readonly input: number; readonly output: number } | undefined
  /** The deltas of its text. */
  readonly pieces: number
  /** Whether the provider's sign for the end came, and whether the connection broke. */
  readonly isComplete: boolean
  readonly isCut: boolean
}

async function readReply(client: ModelClient, response: Response): Promise<ReadReply> {
  expect(response.status).toBe(200)
  const texts = { thinking: '', text: '' }
  const calls: { index: number; id: string; name: string; json: string }[] = []
  let usage: ReadReply['usage']
  let pieces = 0
  let isComplete = false
  let isCut = false
  try {
    for await (const { data } of eventsIn(response.body!)) {
      if (data === '[DONE]') continue
      for (const delta of client.read(JSON.parse(data))) {
        switch (delta.adds) {
          case 'thinking':
          case 'text':
            texts[delta.adds] += delta.text
            if (delta.adds === 'text') pieces += 1
            break
          case 'call': {
            const { index, id = '', name = '', json } = delta
            const known = calls.find((call) => call.index === index)
            if (known) known.json += json
            else calls.push({ index, id, name, json })
            break
          }
          case 'usage':
            usage = { input: delta.input, output: delta.output }
            break
          case 'end':
            isComplete = true
        }
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    isCut = true
  }
  return {
    ...texts,
    // The arguments of a call that was cut are not complete.
    calls: isCut ? [] : calls.map(({ id, name, json }) => ({ id, name, arguments: JSON.parse(json) as object })),
    usage,
    pieces,
    isComplete,
    isCut,
  }
}
