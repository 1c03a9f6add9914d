/** The turn of Codex as the segments of an answer. */
import { z } from 'zod'
import type { RepositoryView } from '../../api/repository.ts'
import { hitSchema } from '../../api/repository.ts'
import type { Frame } from '../../api/thread.ts'
import type { Segment } from './query-result.ts'
import { toFoundFiles } from './query-result.ts'

/** Without the answer, whose citations are checked first. In the order in which they came. */
export function segmentsOf(
  frames: readonly Frame[],
  repository: Pick<RepositoryView, 'name' | 'path' | 'host_path'>,
): readonly Segment[] {
  return ofOneTurn(frames).flatMap((frame): readonly Segment[] => {
    switch (frame.type) {
      case 'thinking':
        return [{ type: 'thinking', text: frame.text }]
      case 'tool-result': {
        const found = frame.stage === 'success' && searchTool.test(frame.name) && searchResult.safeParse(frame.result)
        if (!found || !found.success) return []
        return [{ type: 'vector_summary', files: toFoundFiles(found.data.hits, repository) }]
      }
      case 'prompt':
      case 'token':
      case 'tool-request':
      case 'final':
      case 'complete':
      case 'error':
        return []
    }
  })
}

const searchTool = /(^|_)repositories_search$/
const searchResult = z.object({ hits: z.array(hitSchema) })

/** Another question in the same conversation may have begun since. */
function ofOneTurn(frames: readonly Frame[]): readonly Frame[] {
  const end = frames.findIndex(({ type }) => type === 'complete')
  return end < 0 ? frames : frames.slice(0, end)
}
