/** A cell on the canvas, in pixels. The colour is the fill and stroke style of the context. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
