/** The worker that draws screenshots. It loads the canvas and the fonts, so that the hub never waits for them. */
import { answerEach } from '../../base/worker-answers.ts'
import { paint } from './paint.ts'
import type { Picture } from './picture.ts'

answerEach((picture: Picture) => paint(picture))
