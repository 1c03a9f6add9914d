/** Tools that answer at once, one for each kind of content. */
import { toolError } from '../../src/mcp/define-tool.ts'
import type { Tool } from '../../src/mcp/mcp.ts'
import { fixtureTool, text } from './fixture-tool.ts'
import { pixelPng, silentWav } from './samples.ts'

const picture = { type: 'image', data: pixelPng, mimeType: 'image/png' } as const

export const contentTools: readonly Tool[] = [
  fixtureTool('test_simple_text', 'Answers with one text.', () => text('This is a simple text response for testing.')),

  fixtureTool('test_image_content', 'Answers with one picture.', () => ({ content: [picture] })),

  fixtureTool('test_audio_content', 'Answers with one sound.', () => ({
    content: [{ type: 'audio', data: silentWav, mimeType: 'audio/wav' }],
  })),

  fixtureTool('test_embedded_resource', 'Answers with one embedded resource.', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),

  fixtureTool('test_multiple_content_types', 'Answers with text, a picture and a resource.', () => ({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      picture,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  })),

  fixtureTool('test_error_handling', 'Always fails.', () =>
    toolError('This tool intentionally returns an error for testing'),
  ),
]
