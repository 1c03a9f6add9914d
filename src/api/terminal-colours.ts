/** The sixteen colours that programs choose by number, as screens report them. They are the defaults of xterm.js. */
export const numberedColours: readonly string[] =
  '#2e3436 #cc0000 #4e9a06 #c4a000 #3465a4 #75507b #06989a #d3d7cf #555753 #ef2929 #8ae234 #fce94f #729fcf #ad7fa8 #34e2e2 #eeeeec'.split(
    ' ',
  )
