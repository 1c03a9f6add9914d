/** The ways to answer an approval. The bar never leaves the screen. */
import { type ReactNode, useState } from 'react'
import * as Menu from '@radix-ui/react-dropdown-menu'
import type { Approval } from '../../src/api/approval.ts'
import { Icon } from '../parts/icons.tsx'
import { DecisionMark } from '../parts/marks.tsx'
import { type ApprovalKeys, useDecide } from './decide.ts'
import { DenyForm } from './deny-form.tsx'
import { RuleForm } from './rule-form.tsx'

export interface DecisionBar {
  readonly bar: ReactNode
  readonly keys: ApprovalKeys
}

type Step = 'choose' | 'deny' | 'rule'

export function useDecisionBar(approval: Approval): DecisionBar {
  const deciding = useDecide(approval)
  const [step, setStep] = useState<Step>('choose')
  const back = () => setStep('choose')
  const { isBusy } = deciding
  const once = () => void deciding.decide({ decision: 'approve' })
  const session = () => void deciding.decide({ decision: 'approve', scope: 'session' })
  const abort = () => void deciding.decide({ decision: 'abort' })
  const rule = () => setStep('rule')
  const deny = () => setStep('deny')
  if (step === 'deny') return { bar: <DenyForm deciding={deciding} onBack={back} />, keys: {} }
  if (step === 'rule') return { bar: <RuleForm approval={approval} deciding={deciding} onBack={back} />, keys: {} }

  const bar = (
    <footer className="decide">
      <button className="btn lg primary a1" disabled={isBusy} onClick={once}>
        Allow once<kbd aria-hidden="true">A</kbd>
      </button>
      <button className="btn lg a2" disabled={isBusy} onClick={session}>
        For this session<kbd aria-hidden="true">S</kbd>
      </button>
      <button className="btn lg a3" disabled={isBusy} onClick={rule}>
        Write a rule…<kbd aria-hidden="true">R</kbd>
      </button>
      <span className="grow" />
      <button className="btn lg a4" disabled={isBusy} onClick={deny}>
        <DecisionMark name="deny" size={12} />
        Deny…<kbd aria-hidden="true">D</kbd>
      </button>
      <button className="btn lg a5" disabled={isBusy} onClick={abort}>
        <DecisionMark name="abort" size={12} />
        Abort turn<kbd aria-hidden="true">X</kbd>
      </button>
      <Menu.Root>
        <Menu.Trigger className="icon-btn phone-only a6" aria-label="More ways to answer" disabled={isBusy}>
          <Icon name="more" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Content className="menu" sideOffset={8} collisionPadding={8}>
            <Menu.Item onSelect={session}>For this session</Menu.Item>
            <Menu.Item onSelect={rule}>Write a rule…</Menu.Item>
            <Menu.Item onSelect={abort}>Abort turn</Menu.Item>
          </Menu.Content>
        </Menu.Portal>
      </Menu.Root>
    </footer>
  )
  return { bar, keys: isBusy ? {} : { a: once, s: session, r: rule, d: deny, x: abort } }
}
