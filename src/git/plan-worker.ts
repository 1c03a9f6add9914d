/** The worker that compares two git directories with many differences. */
import { answerEach } from '../base/worker-answers.ts'
import type { PlanQuestion } from './plan.ts'
import { plan } from './plan.ts'

answerEach((question: PlanQuestion) => plan(question))
