/** The thread behind screenshot: the canvas and its fonts are loaded here, and the main thread never waits for them. */
import { answerEach } from '../answer-thread.ts'
import { paint } from './paint.ts'
import type { Picture } from './picture.ts'

answerEach((picture: Picture) => paint(picture))
