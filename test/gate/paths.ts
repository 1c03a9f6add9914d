/** The actions of an agent, as requests. */
export interface Path {
  readonly name: string
  /** The name in policies. */
  readonly tool: string
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
  /** Where the action shows. Default: at the upstream. */
  readonly at?: 'terminal'
  /** Undoes the action: a second subscription to a followed resource would not reach the upstream. */
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

/** For legacy clients only. */
export const followed: Path = {
  ...aResource,
  name: 'a resource followed',
  method: 'resources/subscribe',
  undo: { ...aResource, method: 'resources/unsubscribe' },
}

export const aPrompt: Path = { name: 'a prompt', tool: 'up_read', method: 'prompts/get', params: { name: 'up_hello' } }

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

/** The socket of a session offers only its terminal, so names there have no prefix. */
export const typingAtTheSocket: Path = { ...typing, params: { ...typing.params, name: 'send_text' } }

/** The actions in both eras. */
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
