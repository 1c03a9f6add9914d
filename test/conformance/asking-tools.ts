/** Tools that ask the client one question: the forms and the sampling of the legacy scenarios. */
import { type InputRequest, inputRequired, type Tool } from '../../src/mcp/mcp.ts'
import { fixtureTool, text } from './fixture-tool.ts'
import { answered, ask } from './questions.ts'

export const askingTools: readonly Tool[] = [
  fixtureTool(
    'test_sampling',
    "Asks the client's model.",
    ({ prompt }, call) => {
      const reply = answered.model(call, 'reply')
      return reply === undefined
        ? inputRequired({ reply: ask.model(String(prompt), 100) })
        : text(`LLM response: ${reply}`)
    },
    requiredString('prompt', 'What to ask the model'),
  ),

  fixtureTool(
    'test_elicitation',
    'Asks the person for a name and an address.',
    ({ message }, call) => {
      const form = answered.form(call, 'form')
      if (form === undefined) return inputRequired({ form: contactForm(String(message)) })
      return text(`User response: action: ${form.action}, content: ${JSON.stringify(form.content ?? {})}`)
    },
    requiredString('message', 'What to show the person'),
  ),

  formTool('test_elicitation_sep1034_defaults', 'Asks with a default for each kind of field.', {
    name: { type: 'string', description: 'Name', default: 'John Doe' },
    age: { type: 'integer', description: 'Age', default: 30 },
    score: { type: 'number', description: 'Score', default: 95.5 },
    status: { type: 'string', description: 'Status', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Verified', default: true },
  }),

  formTool('test_elicitation_sep1330_enums', 'Asks with each of the five forms of a choice.', {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') } },
  }),
]

function formTool(name: string, description: string, properties: Readonly<Record<string, object>>): Tool {
  return fixtureTool(name, description, (_, call) => {
    const form = answered.form(call, 'form')
    if (form === undefined) return inputRequired({ form: ask.form('Please fill in the form', properties) })
    return text(`Elicitation completed: action=${form.action}, content=${JSON.stringify(form.content ?? {})}`)
  })
}

function contactForm(message: string): InputRequest {
  const properties = {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  }
  return ask.form(message, properties, ['username', 'email'])
}

function titled(...titles: readonly string[]): readonly object[] {
  return titles.map((title, index) => ({ const: `value${index + 1}`, title }))
}

function requiredString(name: string, description: string) {
  return { type: 'object', properties: { [name]: { type: 'string', description } }, required: [name] }
}
