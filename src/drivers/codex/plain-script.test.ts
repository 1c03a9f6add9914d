import { expect, test } from 'vitest'
import { isPlainScript } from './plain-script.ts'

test.each([
  'const r = await tools.exec_command({cmd: "ls -l"}); text(r.output)',
  'text((await tools.exec_command({ cmd: "grep -rn \\"import\\" src/[a-z]*", workdir: "/w", yield_time_ms: 1000 })).output)',
  'const file = "a"; const r = await tools.exec_command({cmd: `cat ${file} | head -${1 + 2}`, login: false}); text(r)',
  'const [a, b] = await Promise.all([tools.exec_command({cmd: "a"}), tools.exec_command({cmd: "b",})]); text(a.output + b.output)',
  'for (const cmd of ["ls", "pwd"]) text((await tools.exec_command({ cmd })).output)',
  '// list\nconst r = await tools.mcp__hub__read({ path: "x" }); text(r.content[0].text)',
  `await tools.exec_command({cmd: 'sed -i "s/a/b/" x'})`,
])('%s cannot leave the sandbox', (script) => {
  expect(isPlainScript(script)).toBe(true)
})

test.each([
  'await tools.exec_command({cmd: "ls", sandbox_permissions: "require_escalated"})',
  'await tools.exec_command({cmd: "ls", ["sand" + "box_permissions"]: x})',
  'await tools.exec_command({cmd: "ls", ...more})',
  'await tools.exec_command({cmd: "ls", other: 1})',
  'await tools.exec_command(JSON.parse(r.output))',
  'const args = {cmd: "ls"}; await tools.exec_command(args)',
  'const run = tools.exec_command; await run({cmd: "ls"})',
  'await tools["exec_command"]({cmd: "ls"})',
  'const { exec_command } = tools; await exec_command(x)',
  'const t = tools; await t.exec_command(x)',
  'await Object.values(tools)[0](x)',
  'eval(x)',
  'new Function(x)()',
  '(() => {})["con" + "structor"](x)()',
  'Object.prototype.x = 1; await tools.exec_command({cmd: "ls"})',
  'await t\\u006fols.exec_command(x)',
  'await tools.exec_command({cmd: "ls"}, x).then(1); await tools.exec_command({cmd: `${tools.exec_command(x)}`})',
  'const r = /"/; await tools.exec_command(x) /* " */',
  'await tools.exec_command({cmd: "unfinished',
  'await globalThis.tools.exec_command({cmd: "ls"})',
])('%s might leave the sandbox', (script) => {
  expect(isPlainScript(script)).toBe(false)
})
