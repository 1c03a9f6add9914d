import type { Session } from '../../api/session.ts'

/** Empty if the session cannot be resumed. */
export function resumeHint({ name, can_resume: canResume }: Pick<Session, 'name' | 'can_resume'>): string {
  return canResume ? `Resume it with: signalbox resume ${name}` : ''
}
