/** What an agent can make happen, as it asks for it. */
export interface Path {
  readonly name: string
  /** As the policy names it. */
  readonly tool: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Where it shows whether it happened; else at the upstream. */
  readonly at?: 'terminal'
  /** What is followed already needs no second word to the upstream: so it is let go. */
  readonly undo?: Path
}

const uri = 'count://thing'

export const aTool: Path = {
  name: 'a tool',
  tool: 'up_Act-Now',
  method: 'tools/call',
  params: { name: 'up_act_now', arguments: { a: 1 } },
}

export const aResource: Path = { name: 'a resource', tool: 'up_read', method: 'resources/read', params: { uri } }

const aToolByItsFinder: Path = {
  ...aTool,
  name: 'a tool called by call_tool',
  params: { name: 'call_tool', arguments: aTool.params },
}

const aResourceByATool: Path = {
  ...aResource,
  name: 'a resource read by a tool',
  method: 'tools/call',
  params: { name: 'resources_read', arguments: { uri } },
}

const lettingGoByATool: Path = {
  name: 'a resource that is followed no longer',
  tool: 'resources_unsubscribe',
  method: 'tools/call',
  params: { name: 'resources_unsubscribe', arguments: { uri } },
}

export const followedByATool: Path = {
  ...aResource,
  name: 'a resource followed by a tool',
  method: 'tools/call',
  params: { name: 'resources_subscribe', arguments: { uri } },
  undo: lettingGoByATool,
}

/** For legacy clients. */
export const followed: Path = {
  ...aResource,
  name: 'a resource followed',
  method: 'resources/subscribe',
  undo: { ...aResource, method: 'resources/unsubscribe' },
}

const aPrompt: Path = { name: 'a prompt', tool: 'up_read', method: 'prompts/get', params: { name: 'up_hello' } }

const aMethodOfItsOwn: Path = {
  name: 'a method of its own',
  tool: 'up_custom/deed',
  method: 'custom/deed',
  params: { x: 1 },
}

export const typing: Path = {
  name: 'its own terminal',
  tool: 'terminal_send_text',
  method: 'tools/call',
  params: { name: 'terminal_send_text', arguments: { text: 'hello\r' } },
  at: 'terminal',
}

/** The socket of a session has nothing but its terminal, so that no name there needs a prefix. */
export const typingAtTheSocket: Path = { ...typing, params: { ...typing.params, name: 'send_text' } }

/** What both eras know. */
export const paths: readonly Path[] = [
  aTool,
  aToolByItsFinder,
  aResource,
  aResourceByATool,
  followedByATool,
  aPrompt,
  aMethodOfItsOwn,
  typing,
]
