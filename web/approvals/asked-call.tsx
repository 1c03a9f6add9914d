/** The call that an approval is about: the command, the diff, or the arguments. */
import { type ReactNode, Suspense, lazy } from 'react'
import type { Approval } from '../../src/api/approval.ts'
import { VisibleText } from '../parts/visible-text.tsx'
import { asArguments, questionOf } from './question.ts'

const Diff = lazy(async () => ({ default: (await import('../parts/diff.tsx')).Diff }))

export function AskedCall({ approval, big = false }: { readonly approval: Approval; readonly big?: boolean }) {
  const question = questionOf(approval)
  switch (question.is) {
    case 'command':
      return (
        <pre className={big ? 'code wrap well big' : 'code wrap well wcode'} tabIndex={0} aria-label="Command">
          <span className="y-p">$ </span>
          <VisibleText text={question.command} />
        </pre>
      )
    case 'edit':
      return (
        <FileChange path={question.path}>
          <Suspense>
            <Diff before={question.before} after={question.after} />
          </Suspense>
        </FileChange>
      )
    case 'patch':
      return (
        <FileChange path={question.path}>
          <PatchText patch={question.patch} />
        </FileChange>
      )
    case 'call':
      return big ? <ArgumentTable args={approval.arguments} /> : <ArgumentLine args={approval.arguments} />
  }
}

function FileChange({ path, children }: { readonly path: string; readonly children: ReactNode }) {
  return (
    <>
      <p className="file-h row">
        <code>
          <VisibleText text={path} />
        </code>
      </p>
      <div className="well clip">{children}</div>
    </>
  )
}

/** A diff as the agent wrote it. */
function PatchText({ patch }: { readonly patch: string }) {
  const kinds: Readonly<Record<string, string>> = { '+': 'add', '-': 'del', '@': 'hunk' }
  return (
    <div className="diff" tabIndex={0} role="group" aria-label="Diff">
      <table>
        <tbody>
          {patch.split('\n').map((line, index) => (
            <tr key={index} className={kinds[line[0] ?? ''] ?? ''}>
              <td className="sg">{line[0] === '-' ? '−' : line[0] === '+' ? '+' : ''}</td>
              <td>
                <VisibleText text={line[0] === '@' ? line : line.slice(1)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const shortest = 60

function ArgumentLine({ args }: { readonly args: Readonly<Record<string, unknown>> }) {
  return (
    <pre className="code wrap well wcode" tabIndex={0} aria-label="Arguments">
      {Object.entries(args).map(([name, value]) => (
        <span key={name}>
          <span className="y-k">
            <VisibleText text={name} />
          </span>{' '}
          <VisibleText text={shortValue(value)} />
          {'  '}
        </span>
      ))}
    </pre>
  )
}

function shortValue(value: unknown): string {
  const text = textOf(value)
  return text.length > shortest ? `${text.length.toLocaleString('en')} characters` : text
}

export function ArgumentTable({ args }: { readonly args: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(asArguments(args))
  if (entries.length === 0) return <p className="t3">No arguments.</p>
  return (
    <table className="args">
      <tbody>
        {entries.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <VisibleText text={name} />
            </th>
            <td>
              <pre className="code wrap arg-value">
                <VisibleText text={textOf(value)} />
              </pre>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
