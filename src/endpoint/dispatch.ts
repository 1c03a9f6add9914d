/** Runs an operation of a face through the layers of the face. */
import type { Call, Layer, Operation, Results } from '../mcp/mcp.ts'

export type Dispatch = <Kind extends Operation['kind']>(
  operation: Operation & { readonly kind: Kind },
  call: Call,
  run: (call: Call) => Promise<Results[Kind]>,
) => Promise<Results[Kind]>

export function createDispatch(layers: readonly Layer[]): Dispatch {
  return <Kind extends Operation['kind']>(
    operation: Operation,
    given: Call,
    run: (call: Call) => Promise<Results[Kind]>,
  ) => {
    const enter = (depth: number, call: Call): Promise<object> => {
      const layer = layers[depth]
      if (!layer) return run(call)
      return layer(operation, call, (passed = call) => enter(depth + 1, passed))
    }
    return enter(0, given) as Promise<Results[Kind]>
  }
}
