import { inputRequired, type Prompt } from '../../src/mcp/mcp.ts'
import type { GetPromptResult } from '../../src/mcp/sdk.ts'
import { answered, ask } from './questions.ts'
import { pixelPng } from './samples.ts'

export const fixturePrompts: readonly Prompt[] = [
  {
    name: 'test_simple_prompt',
    description: 'One sentence.',
    get: async () => says('This is a simple prompt for testing.'),
  },
  {
    name: 'test_prompt_with_arguments',
    description: 'One sentence with two blanks.',
    arguments: [
      { name: 'arg1', description: 'First blank', required: true },
      { name: 'arg2', description: 'Second blank', required: true },
    ],
    get: async ({ arg1, arg2 }) => says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
    complete: { arg1: (value) => ['test', 'testing', 'tested'].filter((word) => word.startsWith(value)) },
  },
  {
    name: 'test_prompt_with_embedded_resource',
    description: 'A resource and what to do with it.',
    arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
    get: async ({ resourceUri }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'resource',
            resource: {
              uri: resourceUri ?? 'test://embedded-resource',
              mimeType: 'text/plain',
              text: 'Embedded resource content for testing.',
            },
          },
        },
        ...says('Please process the embedded resource above.').messages,
      ],
    }),
  },
  {
    name: 'test_prompt_with_image',
    description: 'A picture and what to do with it.',
    get: async () => ({
      messages: [
        { role: 'user', content: { type: 'image', data: pixelPng, mimeType: 'image/png' } },
        ...says('Please analyze the image above.').messages,
      ],
    }),
  },
  {
    name: 'test_input_required_result_prompt',
    description: 'A sentence about something the person must name first.',
    async get(_, call) {
      const context = answered.field(call, 'user_context', 'context')
      if (context !== undefined) return says(`Work with this context: ${context}`)
      const question = ask.form('What context should the prompt use?', { context: { type: 'string' } }, ['context'])
      return inputRequired({ user_context: question })
    },
  },
]

function says(text: string): GetPromptResult {
  return { messages: [{ role: 'user', content: { type: 'text', text } }] }
}
