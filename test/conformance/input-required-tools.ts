/** Tools that need one or more rounds of input before they answer (MRTR of 2026-07-28). */
import { z } from 'zod'
import { type Call, type InputRequest, type InputRequired, inputRequired, type Tool } from '../../src/mcp/mcp.ts'
import type { CallToolResult } from '../../src/mcp/sdk.ts'
import { fixtureTool, text } from './fixture-tool.ts'
import { answered, ask } from './questions.ts'

export const inputRequiredTools: readonly Tool[] = [
  fixtureTool('test_input_required_result_elicitation', 'Asks for a name and greets.', (_, call) => {
    const name = answered.field(call, 'user_name', 'name')
    return name === undefined ? inputRequired({ user_name: ask.name() }) : text(`Hello, ${name}!`)
  }),

  fixtureTool('test_input_required_result_sampling', "Asks the client's model for a capital.", (_, call) => {
    const reply = answered.model(call, 'capital_question')
    const question = ask.model('What is the capital of France?', 100)
    return reply === undefined ? inputRequired({ capital_question: question }) : text(reply)
  }),

  fixtureTool('test_input_required_result_list_roots', 'Asks for the roots and names them.', (_, call) => {
    const roots = answered.roots(call, 'client_roots')
    return roots === undefined ? inputRequired({ client_roots: ask.roots() }) : text(`Roots: ${roots.join(', ')}`)
  }),

  fixtureTool('test_input_required_result_request_state', 'Keeps state over one round.', (_, call) => confirm(call)),
  fixtureTool('test_input_required_result_tampered_state', 'Keeps state that the client must not change.', (_, call) =>
    confirm(call),
  ),

  fixtureTool('test_input_required_result_multiple_inputs', 'Asks a person, a model and for roots.', (_, call) => {
    const name = answered.field(call, 'user_name', 'name')
    const greeting = answered.model(call, 'greeting')
    const roots = answered.roots(call, 'client_roots')
    if (name !== undefined && greeting !== undefined && roots !== undefined) {
      return text(`${greeting} ${name}, you work in ${roots.join(', ')}.`)
    }
    const questions = {
      user_name: ask.name(),
      greeting: ask.model('Generate a greeting', 50),
      client_roots: ask.roots(),
    }
    return inputRequired(questions, { asked: Object.keys(questions) })
  }),

  fixtureTool('test_input_required_result_multi_round', 'Asks for a name, then for a colour.', (_, call) => {
    const name = answered.field(call, 'step1', 'name') ?? nameSoFar.safeParse(call.state).data?.name
    if (name === undefined) return inputRequired({ step1: ask.name('Step 1: What is your name?') }, { step: 1 })
    const color = answered.field(call, 'step2', 'color')
    if (color === undefined) return inputRequired({ step2: askColor() }, { step: 2, name })
    return text(`${name} likes ${color}.`)
  }),

  fixtureTool('test_input_required_result_capabilities', 'Asks only in ways the client declared.', (_, call) => {
    const { elicitation, sampling, roots } = call.client.capabilities
    if (Object.keys(call.answers).length > 0) return text('Thank you.')
    return inputRequired({
      ...(elicitation && { user_name: ask.name() }),
      ...(sampling && { greeting: ask.model('Generate a greeting', 50) }),
      ...(roots && { client_roots: ask.roots() }),
    })
  }),

  // The endpoint itself refuses to ask a client for a capability that it did not declare.
  fixtureTool('test_missing_capability', "Needs the client's model.", (_, call) => {
    const reply = answered.model(call, 'reply')
    return reply === undefined ? inputRequired({ reply: ask.model('Say something', 100) }) : text(reply)
  }),
]

const nameSoFar = z.object({ name: z.string() })

function confirm(call: Call): CallToolResult | InputRequired {
  const state = { asked: 'confirm' }
  const proven = JSON.stringify(call.state) === JSON.stringify(state)
  if (proven && answered.form(call, 'confirm')?.content?.['ok'] === true) return text('state-ok')
  return inputRequired({ confirm: ask.form('Please confirm', { ok: { type: 'boolean' } }, ['ok']) }, state)
}

function askColor(): InputRequest {
  return ask.form('Step 2: What is your favorite color?', { color: { type: 'string' } }, ['color'])
}
